# SPDX-License-Identifier: Apache-2.0
# Digilent Arty A7-100T (xc7a100tcsg324-1): what every shell around the node needs. See README.md here.
set_property CFGBVS VCCO [current_design]
set_property CONFIG_VOLTAGE 3.3 [current_design]

# Oscillator, 100 MHz
set_property -dict {PACKAGE_PIN E3 IOSTANDARD LVCMOS33} [get_ports clk_i]
create_clock -name clk -period 10.000 [get_ports clk_i]

# Button RESET, low when pressed
set_property -dict {PACKAGE_PIN C2 IOSTANDARD LVCMOS33} [get_ports rst_ni]
set_false_path -from [get_ports rst_ni]
set_property ASYNC_REG TRUE [get_cells -hierarchical -filter {NAME =~ *reset_sync_q_reg[*]}]

# Serial line of the USB connector: from the host, to the host
set_property -dict {PACKAGE_PIN A9 IOSTANDARD LVCMOS33} [get_ports uart_rx_i]
set_property -dict {PACKAGE_PIN D10 IOSTANDARD LVCMOS33} [get_ports uart_tx_o]
set_false_path -from [get_ports uart_rx_i]
set_false_path -to [get_ports uart_tx_o]

# Lights LD4 to LD7
set_property -dict {PACKAGE_PIN H5 IOSTANDARD LVCMOS33} [get_ports {led_o[0]}]
set_property -dict {PACKAGE_PIN J5 IOSTANDARD LVCMOS33} [get_ports {led_o[1]}]
set_property -dict {PACKAGE_PIN T9 IOSTANDARD LVCMOS33} [get_ports {led_o[2]}]
set_property -dict {PACKAGE_PIN T10 IOSTANDARD LVCMOS33} [get_ports {led_o[3]}]
set_false_path -to [get_ports {led_o[*]}]

# Straps, where a register of the shell holds them
set_false_path -from [get_cells -quiet -hierarchical -filter {NAME =~ *strap_q_reg*}]
