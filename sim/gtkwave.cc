// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <fstream>

#include "sim/errors.h"
#include "sim/wave.h"

namespace torusmu {
namespace {

// Flags of a save file: how the signals after it are shown. kName: by the enum's names in the
// trace.
constexpr const char* kName = "@100000028";
constexpr const char* kHex = "@22";
constexpr const char* kNumber = "@24";
constexpr const char* kBit = "@28";
constexpr const char* kOpenGroup = "@800200";
constexpr const char* kCloseGroup = "@1000200";

struct Signal {
  const char* flags;
  const char* name;  // below the node
};

struct Group {
  const char* title;
  std::vector<Signal> signals;
};

// What a node shows, in the order in which a message meets it. A test compares the names with a
// trace.
std::vector<Group> groups_of_a_node() {
#define MESSAGING "mu_gated_node.u_messaging_unit."
#define ENGINE MESSAGING "u_message_engine."
  return {
      {"registers",
       {{kBit, "s_axil_awvalid"},
        {kHex, "s_axil_awaddr[19:0]"},
        {kHex, "s_axil_wdata[63:0]"},
        {kBit, "s_axil_arvalid"},
        {kHex, "s_axil_araddr[19:0]"},
        {kHex, "s_axil_rdata[63:0]"}}},
      {"descriptors of requests",
       {{kBit, ENGINE "request_descriptor_valid"},
        {kBit, ENGINE "request_descriptor_ready"},
        {kName, ENGINE "request_descriptor_data.descriptor.opcode[7:0]"},
        {kName, ENGINE "request_descriptor_data.mode[2:0]"},
        {kNumber, ENGINE "request_descriptor_data.index[31:0]"},
        {kNumber, ENGINE "request_descriptor_data.descriptor.length[36:0]"}}},
      {"descriptors of replies",
       {{kBit, ENGINE "reply_descriptor_valid"},
        {kBit, ENGINE "reply_descriptor_ready"},
        {kName, ENGINE "reply_descriptor_data.descriptor.opcode[7:0]"},
        {kNumber, ENGINE "reply_descriptor_data.index[31:0]"}}},
      {"packet received, request",
       {{kName, ENGINE "u_reception_engine.request_header.kind[3:0]"},
        {kNumber, ENGINE "u_reception_engine.request_header.bytes[9:0]"},
        {kNumber, ENGINE "u_reception_engine.request_header.target[7:0]"},
        {kHex, ENGINE "u_reception_engine.request_header.offset[36:0]"},
        {kNumber, ENGINE "u_reception_engine.u_request_receiver.used_q[1:0]"}}},
      {"packet received, reply",
       {{kName, ENGINE "u_reception_engine.reply_header.kind[3:0]"},
        {kNumber, ENGINE "u_reception_engine.reply_header.bytes[9:0]"},
        {kNumber, ENGINE "u_reception_engine.u_reply_receiver.used_q[2:0]"}}},
      {"stores",
       {{kName, ENGINE "u_reception_engine.u_request_store.state_q[1:0]"},
        {kName, MESSAGING "request_write_command_data.action.action[2:0]"},
        {kHex, MESSAGING "request_write_command_data.address[39:0]"},
        {kNumber, MESSAGING "request_write_command_data.bytes[9:0]"}}},
      {"done in memory",
       {{kName, MESSAGING "u_memory_side.action_data.action[2:0]"},
        {kNumber, MESSAGING "u_memory_side.action_data.counter[7:0]"},
        {kNumber, MESSAGING "u_memory_side.action_data.bytes[9:0]"}}},
      {"memory port",
       {{kBit, "m_axi_arvalid"},
        {kHex, "m_axi_araddr[39:0]"},
        {kBit, "m_axi_rvalid"},
        {kBit, "m_axi_awvalid"},
        {kHex, "m_axi_awaddr[39:0]"},
        {kBit, "m_axi_wvalid"},
        {kBit, "m_axi_bvalid"}}},
      {"at rest", {{kBit, "irq_o[3:0]"}, {kBit, "quiescent_o"}}},
  };
#undef MESSAGING
#undef ENGINE
}

class SaveFile {
 public:
  void open(const std::string& group) { text_ += fmt::format("{}\n-{}\n", kOpenGroup, group); }
  void close(const std::string& group) { text_ += fmt::format("{}\n-{}\n", kCloseGroup, group); }
  void show(const char* flags, const std::string& signal) {
    text_ += fmt::format("{}\n{}\n", flags, signal);
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace

void write_gtkwave_save_file(const std::string& fst_file, const std::vector<NodeId>& nodes) {
  SaveFile save;
  const std::vector<Group> groups = groups_of_a_node();
  for (const NodeId node : nodes) {
    const std::string title = "node " + std::to_string(node.value);
    const std::string top = "node_" + std::to_string(node.value) + ".";
    save.open(title);
    for (const Group& group : groups) {
      save.open(group.title);
      for (const Signal& signal : group.signals) save.show(signal.flags, top + signal.name);
      save.close(group.title);
    }
    for (const char* direction : {"xp", "xm", "yp", "ym", "zp", "zm"}) {
      const std::string link = top + "link_" + direction + "_";
      save.open(std::string("link ") + direction);
      for (const char* way : {"i", "o"}) {
        for (const char* bit : {"valid_", "head_", "tail_", "reply_"}) {
          save.show(kBit, link + bit + way);
        }
        save.show(kHex, link + "data_" + way + "[127:0]");
      }
      save.close(std::string("link ") + direction);
    }
    save.close(title);
  }
  std::string path = fst_file;
  if (path.ends_with(".fst")) path.resize(path.size() - 4);
  path += ".gtkw";
  std::ofstream file(path);
  if (!(file << save.text()).flush()) throw UsageError("cannot write " + path);
}

}  // namespace torusmu
