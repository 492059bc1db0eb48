// SPDX-License-Identifier: Apache-2.0
#include "sim/play/scenario/pipeline_play.h"

#include <algorithm>

#include "sim/play/scenario/raw_node.h"

namespace torusmu {
namespace {

constexpr QueueId kSend{7}, kMiddleReceive{8}, kMiddleSend{9}, kTargetReceive{10}, kControl{11};
constexpr Address kRings = 0x40000;
constexpr Bytes kRingBytes = 0x10000;
constexpr std::uint32_t kSlots = 1024;
constexpr Address kBuffers = 0x100000;
constexpr RegionId kSourceRegion{1}, kBufferRegion{2}, kTargetRegion{3};
constexpr Cycles kRetry = 1'000;
constexpr Cycles kSetUp = 100'000;
constexpr Cycles kBound = 4'000'000;

Address ring_of(QueueId queue) { return kRings + queue.value * kRingBytes; }
Bytes bytes_of(const Pipeline& pipeline, std::uint32_t i) {
  return std::min(kPieceBytes, pipeline.length - i * kPieceBytes);
}

// A queue that was used before is closed, and begins anew with its peer.
void open(Device& device, QueueId queue, NodeId peer, QueueId peer_queue, QueueMode mode,
          QueueRules rules = {}) {
  RawNode node(device);
  device.write64(registers::injection_queue::config(queue.value), 0);
  node.connect(queue, device.shape().coordinates(peer), peer_queue);
  node.open_queue(queue, ring_of(queue), kSlots, mode, rules);
}

void set_up(Device& device, const Pipeline& pipeline, ForwardBy by) {
  RawNode node(device);
  const bool direct = by == ForwardBy::kDirect;
  device.write64(registers::node::send_retry_cycles(), kRetry);
  if (device.node() == pipeline.origin) {
    node.open_region(kSourceRegion, kPipelineSource, kPipelineMost, {.remote_write = false});
    open(device, kSend, direct ? pipeline.target : pipeline.middle,
         direct ? kTargetReceive : kMiddleReceive, QueueMode::kDoorbell);
  }
  const bool pipes = by == ForwardBy::kPipe || by == ForwardBy::kPipes;
  if (device.node() == pipeline.middle && !direct) {
    node.open_region(kBufferRegion, kBuffers, kPipeBuffers * kPieceBytes, {.remote_write = false});
    open(device, kMiddleReceive, pipeline.origin, kSend,
         pipes ? QueueMode::kPiped : QueueMode::kReceive, {.managed = by == ForwardBy::kWqes});
    open(device, kMiddleSend, pipeline.target, kTargetReceive, QueueMode::kDoorbell);
    open(device, kControl, pipeline.target, kTargetReceive, QueueMode::kDoorbell);
  }
  if (device.node() == pipeline.target) {
    node.open_region(kTargetRegion, kPipelineTarget, kPipelineMost, {.remote_write = false});
    open(device, kTargetReceive, direct ? pipeline.origin : pipeline.middle,
         direct ? kSend : kMiddleSend,
         by == ForwardBy::kPipes ? QueueMode::kPiped : QueueMode::kReceive);
    if (by == ForwardBy::kPipes) {
      open(device, kControl, pipeline.middle, kMiddleSend, QueueMode::kDoorbell);
    }
  }
}

class Writer {
 public:
  Writer(Device& device, QueueId queue) : node_(device), queue_(queue) {}
  void add(const Descriptor& descriptor) {
    node_.write_descriptor(ring_of(queue_), kSlots, count_++, descriptor);
  }
  std::uint32_t ring() {
    node_.ring_doorbell(queue_, count_);
    return count_;
  }

 private:
  RawNode node_;
  QueueId queue_;
  std::uint32_t count_ = 0;
};

// True once `count` descriptors of the queue are done; false if that takes too long, or one failed.
bool wait_for(Device& device, QueueId queue, std::uint32_t count, Cycles poll) {
  RawNode node(device);
  const Cycles deadline = device.now() + kBound / 2;
  while (node.queue_head(queue) != count) {
    if (device.now() > deadline) return false;
    device.compute(poll);
  }
  return node.queue_status(queue) == Status::kOk;
}

// The PIPE request of the patent: one WQE.
std::uint32_t post_pipe(Device& device, const Pipeline& pipeline) {
  Writer send(device, kMiddleSend);
  send.add(pipe_descriptor({kBufferRegion, 0, kPipeBuffers * kPieceBytes},
                           {pipeline.messages(), kMiddleReceive, kPieceBytes}, 0));
  return send.ring();
}

// What the patent's software posts instead: a RECEIVE for each piece, enabled as buffers become
// free, and a WAIT, a SEND and a RECV_EN for each.
std::uint32_t post_wqes(Device& device, const Pipeline& pipeline) {
  Writer control(device, kControl), receive(device, kMiddleReceive), send(device, kMiddleSend);
  control.add(enable_receives(kMiddleReceive, kPipeBuffers));
  for (std::uint32_t i = 0; i < pipeline.messages(); ++i) {
    const Bytes buffer = i % kPipeBuffers * kPieceBytes;
    receive.add(receive_descriptor({kBufferRegion, buffer, kPieceBytes}));
    send.add(wait_for_queue(kMiddleReceive, i + 1));
    send.add(send_descriptor({kBufferRegion, buffer, bytes_of(pipeline, i)}, i));
    send.add(enable_receives(kMiddleReceive, 1));
  }
  return control.ring() + receive.ring() + send.ring();
}

void play_origin(Device& device, const Pipeline& pipeline, ForwardBy by, Cycles poll,
                 PipelineTimes& times) {
  Writer send(device, kSend);
  if (by == ForwardBy::kPipes) {
    send.add(pipe_from({kSourceRegion, 0, pipeline.length}, kPieceBytes, 0));
  } else {
    for (std::uint32_t i = 0; i < pipeline.messages(); ++i) {
      send.add(send_descriptor({kSourceRegion, i * kPieceBytes, bytes_of(pipeline, i)}, i));
    }
  }
  times.began = device.now();
  times.origin_wqes = send.ring();
  times.done = wait_for(device, kSend, times.origin_wqes, poll) && times.done;
}

void play_middle(Device& device, const Pipeline& pipeline, ForwardBy by, Cycles poll,
                 PipelineTimes& times) {
  const bool pipe = by != ForwardBy::kWqes;
  times.wqes = pipe ? post_pipe(device, pipeline) : post_wqes(device, pipeline);
  const std::uint32_t in_send_queue = pipe ? 1 : 3 * pipeline.messages();
  times.done = wait_for(device, kMiddleSend, in_send_queue, poll) && times.done;
}

void play_target(Device& device, const Pipeline& pipeline, ForwardBy by, Cycles poll,
                 PipelineTimes& times) {
  const QueueId queue = by == ForwardBy::kPipes ? kControl : kTargetReceive;
  Writer receive(device, queue);
  if (by == ForwardBy::kPipes) {
    receive.add(pipe_into({kTargetRegion, 0, pipeline.length}, kTargetReceive, kPieceBytes));
  } else {
    for (std::uint32_t i = 0; i < pipeline.messages(); ++i) {
      receive.add(receive_descriptor({kTargetRegion, i * kPieceBytes, bytes_of(pipeline, i)}));
    }
  }
  times.target_wqes = receive.ring();
  times.done = wait_for(device, queue, times.target_wqes, poll) && times.done;
  times.complete = device.now();
}

}  // namespace

std::vector<PipelineTimes> play_pipelines(Stage& stage, const std::vector<Pipeline>& pipelines,
                                          ForwardBy by, Cycles poll) {
  std::vector<PipelineTimes> times(pipelines.size());
  // Every node first, then who sends: nothing is on its way to a queue that is not there yet.
  for (const Pipeline& pipeline : pipelines) {
    std::vector<NodeId> nodes{pipeline.origin, pipeline.middle, pipeline.target};
    std::sort(nodes.begin(), nodes.end(), [](NodeId a, NodeId b) { return a.value < b.value; });
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    for (const NodeId node : nodes) {
      stage.add_core(node, [&pipeline, by](Device& device) { set_up(device, pipeline, by); });
    }
  }
  if (!stage.run(kSetUp)) return times;
  for (std::size_t i = 0; i < pipelines.size(); ++i) {
    const Pipeline& pipeline = pipelines[i];
    PipelineTimes& own = times[i];
    own.done = true;
    stage.add_core(pipeline.target, [&pipeline, &own, poll, by](Device& device) {
      play_target(device, pipeline, by, poll, own);
    });
    if (by != ForwardBy::kDirect) {
      stage.add_core(pipeline.middle, [&pipeline, &own, poll, by](Device& device) {
        play_middle(device, pipeline, by, poll, own);
      });
    }
    stage.add_core(pipeline.origin, [&pipeline, &own, poll, by](Device& device) {
      play_origin(device, pipeline, by, poll, own);
    });
  }
  if (!stage.run(kBound)) {
    for (PipelineTimes& own : times) own.done = false;
  }
  return times;
}

}  // namespace torusmu
