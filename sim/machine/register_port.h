// SPDX-License-Identifier: Apache-2.0
// What may stand between the register bus of a node's cores and the node, as a debug port does.
#ifndef TORUSMU_SIM_MACHINE_REGISTER_PORT_H_
#define TORUSMU_SIM_MACHINE_REGISTER_PORT_H_

#include <cstdint>

namespace torusmu {

// Pins of AXI4-Lite: those of the manager and those of the subordinate.
struct AxilRequest {
  bool awvalid = false;
  std::uint32_t awaddr = 0;
  bool wvalid = false;
  std::uint64_t wdata = 0;
  std::uint8_t wstrb = 0;
  bool bready = true;
  bool arvalid = false;
  std::uint32_t araddr = 0;
  bool rready = true;
};
struct AxilResponse {
  bool awready = false;
  bool wready = false;
  bool bvalid = false;
  std::uint8_t bresp = 0;
  bool arready = false;
  bool rvalid = false;
  std::uint64_t rdata = 0;
  std::uint8_t rresp = 0;
};

class RegisterPort {
 public:
  virtual ~RegisterPort() = default;
  // What it shows on either side: registers, as the last edge left them.
  [[nodiscard]] virtual AxilResponse to_cores() const = 0;
  [[nodiscard]] virtual AxilRequest to_node() const = 0;
  // An edge of the clock that sees these.
  virtual void edge(const AxilRequest& from_cores, const AxilResponse& from_node) = 0;
};

// The pins that AxilMaster drives and looks at, where no model has them.
struct AxilWires {
  AxilRequest request;
  AxilResponse response;

  void set_s_axil_awvalid(bool value) { request.awvalid = value; }
  void set_s_axil_awaddr(std::uint32_t value) { request.awaddr = value; }
  void set_s_axil_wvalid(bool value) { request.wvalid = value; }
  void set_s_axil_wdata(std::uint64_t value) { request.wdata = value; }
  void set_s_axil_wstrb(std::uint8_t value) { request.wstrb = value; }
  void set_s_axil_arvalid(bool value) { request.arvalid = value; }
  void set_s_axil_araddr(std::uint32_t value) { request.araddr = value; }
  [[nodiscard]] bool s_axil_awready() const { return response.awready; }
  [[nodiscard]] bool s_axil_wready() const { return response.wready; }
  [[nodiscard]] bool s_axil_bvalid() const { return response.bvalid; }
  [[nodiscard]] bool s_axil_arready() const { return response.arready; }
  [[nodiscard]] bool s_axil_rvalid() const { return response.rvalid; }
  [[nodiscard]] std::uint64_t s_axil_rdata() const { return response.rdata; }
};

// The other way: onto the pins of a node, and off them.
template <typename Pins>
void drive_request(Pins& pins, const AxilRequest& request) {
  pins.set_s_axil_awvalid(request.awvalid);
  pins.set_s_axil_awaddr(request.awaddr);
  pins.set_s_axil_wvalid(request.wvalid);
  pins.set_s_axil_wdata(request.wdata);
  pins.set_s_axil_wstrb(request.wstrb);
  pins.set_s_axil_bready(request.bready);
  pins.set_s_axil_arvalid(request.arvalid);
  pins.set_s_axil_araddr(request.araddr);
  pins.set_s_axil_rready(request.rready);
}
template <typename Pins>
AxilResponse response_of(Pins& pins) {
  return {.awready = pins.s_axil_awready() != 0,
          .wready = pins.s_axil_wready() != 0,
          .bvalid = pins.s_axil_bvalid() != 0,
          .bresp = static_cast<std::uint8_t>(pins.s_axil_bresp()),
          .arready = pins.s_axil_arready() != 0,
          .rvalid = pins.s_axil_rvalid() != 0,
          .rdata = pins.s_axil_rdata(),
          .rresp = static_cast<std::uint8_t>(pins.s_axil_rresp())};
}

}  // namespace torusmu

#endif  // TORUSMU_SIM_MACHINE_REGISTER_PORT_H_
