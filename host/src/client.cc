// SPDX-License-Identifier: Apache-2.0
#include "torusmu/client.h"

#include "host/src/client_share.h"

namespace torusmu {

Client::Client(Device& device, const NodePlan& plan, ClientId client)
    : plan_(plan),
      client_(client),
      task_(plan.task({device.node(), client})),
      share_(std::make_shared<ClientShare>(device, plan, client)) {}

Result<std::unique_ptr<Context>> Client::create_context(ContextId context, Device& device,
                                                        const ContextOptions& options) {
  if (!share_->join(context)) return Errc::kBadArgument;
  return std::make_unique<Context>(device, plan_, share_, client_, context, options);
}

}  // namespace torusmu
