// SPDX-License-Identifier: Apache-2.0
// A client: a process (task) of a node. It owns resources of the MU that nobody else can name, and
// its contexts split them: each has a send queue, a queue for gets, a message and a reply FIFO,
// counters, library buffers and a part of the heap of its own, and is advanced by a thread of its
// own, beside the others.
//
//   Client client(device, plan, ClientId{0});           // in one thread of the process
//   auto context = client.create_context(ContextId{k}, device_of_thread_k);
//   (*context)->send(Endpoint{Task{1}, ContextId{k}}, 7, address, 64);
//
// Contexts share the notice ring and the interrupt line of their client: whoever finds a notice
// hands it to the context that it is about, and none clears what is to wake another. A context may
// be advanced by one thread at a time. Threads that a simulator or a run-time switches only in
// calls of their Device need no more; others must hold a lock in each call of a context.
#ifndef TORUSMU_CLIENT_H_
#define TORUSMU_CLIENT_H_

#include <memory>

#include "torusmu/context.h"

namespace torusmu {

class Client {
 public:
  // NodeSetup::run() of this node has returned. `device` is used here only; `plan` outlives the
  // client and its contexts.
  Client(Device& device, const NodePlan& plan, ClientId client);

  [[nodiscard]] Task task() const { return task_; }
  [[nodiscard]] ClientId id() const { return client_; }
  [[nodiscard]] std::uint32_t contexts() const { return plan_.options().contexts; }

  // `device` is that of the thread that will operate the context, and outlives it; the context may
  // outlive the client. Options outside their range are brought to the nearest that is inside.
  // kBadArgument: there is no such context, or it was created before.
  Result<std::unique_ptr<Context>> create_context(ContextId context, Device& device,
                                                  const ContextOptions& options = {});

 private:
  const NodePlan& plan_;
  ClientId client_;
  Task task_;
  std::shared_ptr<ClientShare> share_;
};

}  // namespace torusmu

#endif  // TORUSMU_CLIENT_H_
