// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/view_items.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "sim/machine/errors.h"
#include "sim/machine/events.h"
#include "sim/observe/message_track.h"

namespace torusmu {
namespace {

constexpr ViewFormat kHex{"@22", "Hexadecimal"};
constexpr ViewFormat kNumber{"@24", "Unsigned"};
constexpr ViewFormat kBit{"@28", nullptr};
constexpr ViewFormat kText{"@820", nullptr};
// By the names that the trace has for an enum; in Surfer by those of rtl/package/*.def, which an
// enum that a module has for itself is not in.
constexpr const char* kNameFlags = "@100000028";
constexpr ViewFormat kState{kNameFlags, nullptr};
constexpr ViewFormat kOpcode{kNameFlags, "opcode"};
constexpr ViewFormat kKind{kNameFlags, "kind"};
constexpr ViewFormat kAction{kNameFlags, "action"};
constexpr ViewFormat kQueueMode{kNameFlags, "queue_mode"};
constexpr ViewFormat kReduction{kNameFlags, "reduction"};
constexpr ViewFormat kElement{kNameFlags, "element"};

struct Signal {
  ViewFormat format;
  std::string label;
  std::string name;     // below the node
  bool telling = true;  // shown where its group is; others stay folded up
};

struct Group {
  std::string title;
  std::vector<Signal> signals;
};

Group link_group(unsigned direction, bool out) {
  constexpr std::array<const char*, kDirections> kPins{"xp", "xm", "yp", "ym", "zp", "zm"};
  const std::string title =
      fmt::format("link {} {}", kDirectionNames[direction], out ? "out" : "in");
  const std::string pins = std::string("link_") + kPins[direction] + "_";
  const std::string way = out ? "_o" : "_i";
  Group group{title, {}};
  for (const char* bit : {"valid", "head", "tail"}) {
    group.signals.push_back({kBit, fmt::format("{}: {}", title, bit), pins + bit + way});
  }
  group.signals.push_back({kBit, title + ": reply", pins + "reply" + way, false});
  group.signals.push_back({kHex, title + ": data", pins + "data" + way + "[127:0]", false});
  return group;
}

// What a node shows, in the order in which a message meets it. A test compares the names with a
// trace.
std::vector<Group> groups_of_a_node() {
#define MESSAGING "mu_gated_node.u_messaging_unit."
#define SENDING MESSAGING "u_send_engine."
#define CROSS SENDING "u_cross_channel."
#define RECEPTION MESSAGING "u_reception_engine."
  std::vector<Group> groups{
      {"register writes",
       {{kBit, "register write", "s_axil_awvalid"},
        {kHex, "register", "s_axil_awaddr[19:0]"},
        {kHex, "value", "s_axil_wdata[63:0]"}}},
      {"register reads",
       {{kBit, "register read", "s_axil_arvalid"},
        {kHex, "register", "s_axil_araddr[19:0]"},
        {kHex, "value", "s_axil_rdata[63:0]"}}},
      {"descriptors of requests",
       {{kBit, "request descriptor: valid", SENDING "request_descriptor_valid"},
        {kBit, "request descriptor: ready", SENDING "request_descriptor_ready", false},
        {kOpcode, "request descriptor: opcode",
         SENDING "request_descriptor_data.descriptor.opcode[7:0]"},
        {kQueueMode, "request descriptor: queue mode", SENDING "request_descriptor_data.mode[2:0]",
         false},
        {kNumber, "request descriptor: index", SENDING "request_descriptor_data.index[31:0]",
         false},
        {kNumber, "request descriptor: bytes",
         SENDING "request_descriptor_data.descriptor.length[36:0]"}}},
      {"descriptors of replies",
       {{kBit, "reply descriptor: valid", SENDING "reply_descriptor_valid"},
        {kBit, "reply descriptor: ready", SENDING "accepts.reply_descriptor", false},
        {kOpcode, "reply descriptor: opcode",
         SENDING "reply_descriptor_data.descriptor.opcode[7:0]"},
        {kNumber, "reply descriptor: index", SENDING "reply_descriptor_data.index[31:0]", false}}},
      {"requests received",
       {{kKind, "request received: kind", RECEPTION "request.header.kind[3:0]"},
        {kNumber, "request received: bytes", RECEPTION "request.header.bytes[9:0]"},
        {kNumber, "request received: target", RECEPTION "request.header.target[7:0]", false},
        {kHex, "request received: offset", RECEPTION "request.header.offset[36:0]", false},
        {kNumber, "requests in the receiver", RECEPTION "u_request_source.u_receiver.used_q[1:0]",
         false}}},
      {"replies received",
       {{kKind, "reply received: kind", RECEPTION "reply_header.kind[3:0]"},
        {kNumber, "reply received: bytes", RECEPTION "reply_header.bytes[9:0]", false},
        {kNumber, "replies in the receiver", RECEPTION "u_reply_receiver.used_q[2:0]", false}}},
      {"stores",
       {{kState, "store: state", RECEPTION "u_request_store.state_q[1:0]"},
        {kAction, "store: then do", MESSAGING "request_write.command.action.action[3:0]"},
        {kHex, "store: address", MESSAGING "request_write.command.address[39:0]", false},
        {kNumber, "store: bytes", MESSAGING "request_write.command.bytes[9:0]"}}},
      {"done in memory",
       {{kAction, "in memory: now do", MESSAGING "action_data.action[3:0]"},
        {kNumber, "in memory: counter", MESSAGING "action_data.counter[7:0]", false},
        {kNumber, "in memory: bytes", MESSAGING "action_data.bytes[31:0]"}}},
      {"event counters",
       {{kBit, "event counter changes", CROSS "event_change_i.valid"},
        {kNumber, "event counter: number", CROSS "event_change_i.index[7:0]"},
        {kNumber, "event counter: now", CROSS "event_change_i.value[31:0]"}}},
      {"queues that wait",
       {{kBit, "begins to hold its queue", CROSS "held_i.valid"},
        {kOpcode, "begins to hold: opcode", CROSS "held_data_i.descriptor.opcode[7:0]"},
        {kNumber, "begins to hold: queue", CROSS "held_data_i.__SYM__queue[7:0]"},
        {kHex, "queues in the wait table, bits", CROSS "u_wait_table.waiting_q[31:0]"},
        {kHex, "of them at their count, bits", CROSS "u_wait_table.met_o[31:0]"},
        {kHex, "queues held, bits", CROSS "held[31:0]", false},
        {kHex, "queues held by a CALC, bits", CROSS "is_calc_held_q[31:0]", false},
        {kState, "attached: state", CROSS "state_q[1:0]", false},
        {kNumber, "attached: counter or queue", CROSS "source_q[7:0]", false},
        {kNumber, "attached: count to reach", CROSS "threshold[31:0]", false}}},
      {"calculations",
       {{kBit, "CALC: offered", CROSS "calc_valid_o"},
        {kBit, "CALC: runs", CROSS "calc_running"},
        {kNumber, "CALC: queue", CROSS "calc_queue[4:0]"},
        {kReduction, "CALC: operation", CROSS "calc_data_o.descriptor.reduction[3:0]"},
        {kElement, "CALC: element", CROSS "calc_data_o.descriptor.element[3:0]", false},
        {kNumber, "CALC: bytes", CROSS "calc_data_o.descriptor.length[36:0]"},
        {kBit, "CALC: done", CROSS "calc_done_i.valid"}}},
      {"descriptors let go",
       {{kBit, "let go", CROSS "out_valid_o"},
        {kOpcode, "let go: opcode", CROSS "out_data_o.descriptor.opcode[7:0]"},
        {kNumber, "let go: queue", CROSS "out_data_o.__SYM__queue[7:0]"},
        {kNumber, "let go: index", CROSS "out_data_o.index[31:0]", false},
        {kBit, "let go: has run already", CROSS "out_data_o.run", false}}},
      {"memory reads",
       {{kBit, "memory read", "m_axi_arvalid"},
        {kHex, "memory read: address", "m_axi_araddr[39:0]"},
        {kBit, "memory read: data", "m_axi_rvalid"}}},
      {"memory writes",
       {{kBit, "memory write", "m_axi_awvalid"},
        {kHex, "memory write: address", "m_axi_awaddr[39:0]"},
        {kBit, "memory write: data", "m_axi_wvalid"},
        {kBit, "memory write: accepted", "m_axi_bvalid"}}},
      {"interrupt", {{kBit, "irq_o", "irq_o[3:0]"}}},
      {"at rest", {{kBit, "quiescent_o", "quiescent_o"}}},
  };
#undef MESSAGING
#undef CROSS
#undef SENDING
#undef RECEPTION
  for (unsigned d = 0; d < kDirections; ++d) {
    groups.push_back(link_group(d, true));
    groups.push_back(link_group(d, false));
  }
  return groups;
}

// Signals of the RTL by their own names, for who has found the instance that is to blame.
void add_block(ViewWriter& writer, const WaveView::Block& block) {
  writer.open(block.title, false);
  // As many of its names in a line as fit.
  std::string path;
  for (std::size_t from = 0; from < block.instance.size();) {
    const std::size_t dot = std::min(block.instance.find('.', from), block.instance.size() - 1);
    const std::string name = block.instance.substr(from, dot + 1 - from);
    if (!path.empty() && path.size() + name.size() > kMostCharacters) {
      writer.comment(path);
      path.clear();
    }
    path += name;
    from = dot + 1;
  }
  if (!path.empty()) writer.comment(path);
  for (const std::string& signal : block.signals) {
    const std::string own = signal.substr(signal.find_last_of('.') + 1);
    writer.signal(signal.ends_with("]") ? kHex : kBit, own, signal);
  }
  writer.close(block.title, false);
}

void show(ViewWriter& writer, const Group& group, const std::string& top, bool telling) {
  for (const Signal& signal : group.signals) {
    if (signal.telling == telling) writer.signal(signal.format, signal.label, top + signal.name);
  }
}

// Lanes of messages, by their numbers; all but the first say which they are.
void add_lanes(ViewWriter& writer, const std::string& top, const std::string& title,
               const char* scope, const std::vector<std::size_t>& lanes) {
  Group group{title, {}};
  for (const std::size_t i : lanes) {
    const std::string label = i == 0 ? title : fmt::format("{}, lane {}", title, i + 1);
    group.signals.push_back({kText, label, fmt::format("{}.lane_{}", scope, i)});
  }
  show(writer, group, top, true);
}

std::string unknown_group(const std::string& wanted, const std::vector<Group>& groups) {
  std::string titles;
  for (const Group& group : groups) titles += (titles.empty() ? "" : ", ") + group.title;
  return fmt::format("no group of signals \"{}\" for a view of waves: there are {}", wanted,
                     titles);
}

// `shown` are titles of groups; the others are folded up behind them.
void add_node(ViewWriter& writer, NodeId node, const std::string& part,
              const std::vector<std::string>& shown, const WaveView::Lanes& lanes) {
  const std::vector<Group> groups = groups_of_a_node();
  const std::string top = fmt::format("node_{}.", node.value);
  const std::string title = fmt::format("node {}{}{}", node.value, part.empty() ? "" : ": ", part);
  const bool folded = shown.empty();
  writer.open(title, folded);
  add_lanes(writer, top, "messages sent", kSentLanes, lanes.sent);
  add_lanes(writer, top, "messages received", kReceivedLanes, lanes.received);
  for (const std::string& wanted : shown) {
    const auto found = std::find_if(groups.begin(), groups.end(),
                                    [&](const Group& group) { return group.title == wanted; });
    if (found == groups.end()) throw UsageError(unknown_group(wanted, groups));
    show(writer, *found, top, true);
  }
  const std::string others = fmt::format("node {}: everything else", node.value);
  if (!folded) writer.open(others, true);
  for (const Group& group : groups) {
    const bool is_shown = std::find(shown.begin(), shown.end(), group.title) != shown.end();
    if (is_shown && std::all_of(group.signals.begin(), group.signals.end(),
                                [](const Signal& signal) { return signal.telling; })) {
      continue;
    }
    writer.open(group.title, true);
    if (!is_shown) show(writer, group, top, true);
    show(writer, group, top, false);
    writer.close(group.title, true);
  }
  if (!folded) writer.close(others, true);
  writer.close(title, folded);
}

}  // namespace

void write_view_items(const WaveView& view, ViewWriter& writer) {
  for (const WaveView::Block& block : view.blocks) add_block(writer, block);
  const auto place_of = [&](NodeId node) {
    return static_cast<std::size_t>(std::find(view.nodes.begin(), view.nodes.end(), node) -
                                    view.nodes.begin());
  };
  const auto lanes_of = [&](NodeId node) {
    const std::size_t at = place_of(node);
    return at < view.lanes.size() ? view.lanes[at] : WaveView::Lanes{};
  };
  const auto traced = [&](const Act::Actor& actor) {
    return place_of(actor.node) != view.nodes.size();
  };
  for (const Act::Actor& actor : view.actors) {
    if (traced(actor)) {
      add_node(writer, actor.node, actor.part, actor.groups, lanes_of(actor.node));
    }
  }
  if (std::none_of(view.actors.begin(), view.actors.end(), traced)) {
    for (const NodeId node : view.nodes) add_node(writer, node, "", {}, lanes_of(node));
  }
}

}  // namespace torusmu
