// SPDX-License-Identifier: Apache-2.0
#include "sim/play/scenario/pipeline_play.h"

#include <algorithm>
#include <array>

#include "sim/play/scenario/raw_node.h"

namespace torusmu {
namespace {

constexpr std::uint32_t kLanes = 4;
constexpr std::uint32_t kFirstQueue = 7, kQueuesOfALane = 5;
constexpr Address kRings = 0xB0000;
constexpr Bytes kRingBytes = 0x10000;
constexpr std::uint32_t kSlots = 1024;
constexpr Address kFewRings = 0xA0000;
constexpr Bytes kFewRingBytes = 0x400;
constexpr std::uint32_t kFewSlots = 16;
constexpr Address kBuffers = 0x100000;
constexpr RegionId kSourceRegion{1}, kBufferRegion{2}, kTargetRegion{3};
constexpr Cycles kRetry = 1'000;
constexpr Cycles kSetUp = 100'000;
constexpr Cycles kBound = 4'000'000;

// The control queue holds the PIPE of the target.
struct Queues {
  QueueId send, middle_receive, middle_send, target_receive, control;
};
Queues queues_of(const Pipeline& pipeline) {
  const std::uint32_t first = kFirstQueue + pipeline.lane * kQueuesOfALane;
  return {{first}, {first + 1}, {first + 2}, {first + 3}, {first + 4}};
}
// Only the first lane posts more than a few descriptors.
std::uint32_t slots_of(QueueId queue) {
  return queue.value < kFirstQueue + kQueuesOfALane ? kSlots : kFewSlots;
}
Address ring_of(QueueId queue) {
  const std::uint32_t i = queue.value - kFirstQueue;
  return i < kQueuesOfALane ? kRings + i * kRingBytes : kFewRings + i * kFewRingBytes;
}
// Of a PIPE at an end: no more than the whole message.
std::uint32_t piece_of(const Pipeline& pipeline) {
  return static_cast<std::uint32_t>(std::min(kPieceBytes, pipeline.length));
}
Bytes buffers_of(const Pipeline& pipeline) { return pipeline.lane * kPipeBuffers * kPieceBytes; }
Bytes bytes_of(const Pipeline& pipeline, std::uint32_t i) {
  return std::min(kPieceBytes, pipeline.length - i * kPieceBytes);
}

// A queue that was used before is closed, and begins anew with its peer.
void open(Device& device, QueueId queue, NodeId peer, QueueId peer_queue, QueueMode mode,
          QueueRules rules = {}) {
  RawNode node(device);
  device.write64(registers::injection_queue::config(queue.value), 0);
  node.connect(queue, device.shape().coordinates(peer), peer_queue);
  node.open_queue(queue, ring_of(queue), slots_of(queue), mode, rules);
}

void set_up(Device& device, const Pipeline& pipeline, ForwardBy by) {
  RawNode node(device);
  const Queues queues = queues_of(pipeline);
  const bool direct = by == ForwardBy::kDirect;
  device.write64(registers::node::send_retry_cycles(), kRetry);
  if (device.node() == pipeline.origin) {
    node.open_region(kSourceRegion, kPipelineSource, kPipelineMost, {.remote_write = false});
    open(device, queues.send, direct ? pipeline.target : pipeline.middle,
         direct ? queues.target_receive : queues.middle_receive, QueueMode::kDoorbell);
  }
  const bool pipes = by == ForwardBy::kPipe || by == ForwardBy::kList || by == ForwardBy::kPipes;
  if (device.node() == pipeline.middle && !direct) {
    node.open_region(kBufferRegion, kBuffers, kLanes * kPipeBuffers * kPieceBytes,
                     {.remote_write = false});
    open(device, queues.middle_receive, pipeline.origin, queues.send,
         pipes ? QueueMode::kPiped : QueueMode::kReceive, {.managed = by == ForwardBy::kWqes});
    open(device, queues.middle_send, pipeline.target, queues.target_receive, QueueMode::kDoorbell);
    open(device, queues.control, pipeline.target, queues.target_receive, QueueMode::kDoorbell);
  }
  if (device.node() == pipeline.target) {
    node.open_region(kTargetRegion, kPipelineTarget, kPipelineMost, {.remote_write = false});
    open(device, queues.target_receive, direct ? pipeline.origin : pipeline.middle,
         direct ? queues.send : queues.middle_send,
         by == ForwardBy::kPipes ? QueueMode::kPiped : QueueMode::kReceive);
    if (by == ForwardBy::kPipes) {
      open(device, queues.control, pipeline.middle, queues.middle_send, QueueMode::kDoorbell);
    }
  }
}

class Writer {
 public:
  Writer(Device& device, QueueId queue) : node_(device), queue_(queue) {}
  void add(const Descriptor& descriptor) {
    node_.write_descriptor(ring_of(queue_), slots_of(queue_), count_++, descriptor);
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
  const Queues queues = queues_of(pipeline);
  Writer send(device, queues.middle_send);
  send.add(pipe_descriptor({kBufferRegion, buffers_of(pipeline), kPipeBuffers * kPieceBytes},
                           {pipeline.messages(), queues.middle_receive, kPieceBytes}, 0));
  return send.ring();
}

// The same with an intermediate buffer list: as many buffers, of other sizes, in no order.
std::uint32_t post_listed_pipe(Device& device, const Pipeline& pipeline) {
  const Queues queues = queues_of(pipeline);
  const std::array buffers{Source{kBufferRegion, 9 * kPieceBytes + 5, kPieceBytes},
                           Source{kBufferRegion, 3 * kPieceBytes, kPieceBytes + 100},
                           Source{kBufferRegion, 13 * kPieceBytes + 64, 2 * kPieceBytes},
                           Source{kBufferRegion, 6 * kPieceBytes + 31, kPieceBytes}};
  const auto list = list_of(buffers);
  device.store(kBuffers + 8, list);
  Writer send(device, queues.middle_send);
  send.add(pipe_through({kBufferRegion, 8, list.size()},
                        {pipeline.messages(), queues.middle_receive}, 0));
  return send.ring();
}

// What the patent's software posts instead: a RECEIVE for each piece, enabled as buffers become
// free, and a WAIT, a SEND and a RECV_EN for each.
std::uint32_t post_wqes(Device& device, const Pipeline& pipeline) {
  const Queues queues = queues_of(pipeline);
  Writer control(device, queues.control), receive(device, queues.middle_receive),
      send(device, queues.middle_send);
  control.add(enable_receives(queues.middle_receive, kPipeBuffers));
  for (std::uint32_t i = 0; i < pipeline.messages(); ++i) {
    const Bytes buffer = buffers_of(pipeline) + i % kPipeBuffers * kPieceBytes;
    receive.add(receive_descriptor({kBufferRegion, buffer, kPieceBytes}));
    send.add(wait_for_queue(queues.middle_receive, i + 1));
    send.add(send_descriptor({kBufferRegion, buffer, bytes_of(pipeline, i)}, i));
    send.add(enable_receives(queues.middle_receive, 1));
  }
  return control.ring() + receive.ring() + send.ring();
}

void play_origin(Device& device, const Pipeline& pipeline, ForwardBy by, Cycles poll,
                 PipelineTimes& times) {
  const Queues queues = queues_of(pipeline);
  Writer send(device, queues.send);
  if (by == ForwardBy::kPipes) {
    send.add(pipe_from({kSourceRegion, pipeline.at, pipeline.length}, piece_of(pipeline), 0));
  } else {
    for (std::uint32_t i = 0; i < pipeline.messages(); ++i) {
      send.add(send_descriptor(
          {kSourceRegion, pipeline.at + i * kPieceBytes, bytes_of(pipeline, i)}, i));
    }
  }
  times.began = device.now();
  times.origin_wqes = send.ring();
  times.done = wait_for(device, queues.send, times.origin_wqes, poll) && times.done;
}

void play_middle(Device& device, const Pipeline& pipeline, ForwardBy by, Cycles poll,
                 PipelineTimes& times) {
  const bool pipe = by != ForwardBy::kWqes;
  times.wqes = !pipe                    ? post_wqes(device, pipeline)
               : by == ForwardBy::kList ? post_listed_pipe(device, pipeline)
                                        : post_pipe(device, pipeline);
  const std::uint32_t in_send_queue = pipe ? 1 : 3 * pipeline.messages();
  const QueueId queue = queues_of(pipeline).middle_send;
  times.done = wait_for(device, queue, in_send_queue, poll) && times.done;
}

void play_target(Device& device, const Pipeline& pipeline, ForwardBy by, Cycles poll,
                 PipelineTimes& times) {
  const Queues queues = queues_of(pipeline);
  const QueueId queue = by == ForwardBy::kPipes ? queues.control : queues.target_receive;
  Writer receive(device, queue);
  if (by == ForwardBy::kPipes) {
    receive.add(pipe_into({kTargetRegion, pipeline.at, pipeline.length}, queues.target_receive,
                          piece_of(pipeline)));
  } else {
    for (std::uint32_t i = 0; i < pipeline.messages(); ++i) {
      receive.add(receive_descriptor(
          {kTargetRegion, pipeline.at + i * kPieceBytes, bytes_of(pipeline, i)}));
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
