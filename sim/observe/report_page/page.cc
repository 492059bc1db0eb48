// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/report_page/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/observe/report_page/plot.h"

namespace torusmu::report_page {
namespace {

// Around the parts of the machines in a page.
constexpr std::string_view kMachinesBegin = "<div id=\"machines\">\n";
constexpr std::string_view kMachinesEnd = "</div><!-- machines -->\n";

// Colours for light and dark screens; paper is light. heatN rises from the ground's colour.
constexpr const char* kStyle = R"(
:root { --ground:#ffffff; --text:#1b1f24; --soft:#5b6570; --line:#d5dae0; --row:#f4f6f8;
  --good:#1a7f37; --bad:#b42318; --bar:#3b6fb6; --mark:#b54708; --second:#b54708;
  --h0:#eceff2; --h1:#fdd9a0; --h2:#fdbb6d; --h3:#f98e42; --h4:#ea5f27; --h5:#cc3311;
    --h6:#94200c; --h7:#550f0a;
  --s0:#9aa4b0; --s1:#e0a030; --s2:#3b6fb6; --s3:#7a4fa3; --s4:#2e8b67; }
@media (prefers-color-scheme: dark) { @media screen { :root {
  --ground:#14181d; --text:#e3e7eb; --soft:#9aa5b1; --line:#323a43; --row:#1b2026;
  --good:#3fb950; --bad:#ff7b72; --bar:#6ea0e6; --mark:#f0a35e; --second:#f0a35e;
  --h0:#262c33; --h1:#4d2413; --h2:#7a3114; --h3:#ad4517; --h4:#d9661f; --h5:#f29340;
    --h6:#f9c274; --h7:#fdeab8;
  --s0:#77828e; --s1:#e0a030; --s2:#6ea0e6; --s3:#b48add; --s4:#4fc394; } } }
* { box-sizing:border-box; }
body { margin:0 auto; padding:16px 24px 48px; max-width:1120px; background:var(--ground);
  color:var(--text);
  font:14px/1.45 system-ui, "DejaVu Sans", Arial, sans-serif; }
h1 { font-size:22px; margin:8px 0; } h2 { font-size:18px; margin:32px 0 8px;
  border-bottom:1px solid var(--line); }
h3 { font-size:15px; margin:22px 0 6px; } h4 { font-size:14px; margin:14px 0 2px; }
.verdict { display:inline-block; padding:2px 10px; border-radius:4px; color:#fff; font-weight:600;
  }
.verdict.good { background:#1a7f37; } .verdict.bad { background:#b42318; }
code { font:13px/1.4 ui-monospace, "DejaVu Sans Mono", monospace; overflow-wrap:anywhere; }
table { border-collapse:collapse; margin:6px 0 14px; } caption { text-align:left; font-weight:600;
  padding:2px 0; }
th, td { text-align:left; padding:2px 12px 2px 0; border-bottom:1px solid var(--line);
  vertical-align:top; overflow-wrap:anywhere; }
th { color:var(--soft); font-weight:600; } td.n { text-align:right;
  font-variant-numeric:tabular-nums; }
th, td.good, td.bad { white-space:nowrap; } td.name { overflow-wrap:break-word; }
td.found { white-space:pre-wrap; }
td.good { color:var(--good); font-weight:600; } td.bad { color:var(--bad); font-weight:600; }
.side { display:flex; flex-wrap:wrap; align-items:flex-start; gap:0 40px; }
figure { margin:4px 0 14px; } figcaption, .note { color:var(--soft); font-size:13px; }
figure svg { max-width:100%; height:auto; display:block; }
.legend span { margin-right:18px; white-space:nowrap; } .legend { margin:4px 0; }
svg text { fill:var(--text); font:12px system-ui, "DejaVu Sans", Arial, sans-serif; }
svg text.label { fill:var(--soft); } svg text.title { font-weight:600; font-size:13px; }
.grid { stroke:var(--line); } .axis { stroke:var(--soft); } .mark { stroke:var(--mark);
  stroke-width:1.5; stroke-dasharray:4 3; }
.bar { fill:var(--bar); } .bar.bad { fill:var(--bad); stroke:var(--text); }
.bar.again { fill:var(--s0); } a { color:var(--bar); }
.zoom .ground { fill:transparent; } .zoom .cut { fill:var(--line); opacity:.6; }
.zoom [class^=stage], .zoom .curve { vector-effect:non-scaling-stroke; }
.zoom [class^=stage] { stroke-width:.7; }
.zoom .stage0 { stroke:var(--s0); } .zoom .stage1 { stroke:var(--s1); }
.zoom .stage2 { stroke:var(--s2); } .zoom .stage3 { stroke:var(--s3); }
.zoom .stage4 { stroke:var(--s4); } .zoom .lost { stroke:var(--bad); stroke-width:2.5; }
.zoom .chosen { fill:var(--bar); opacity:.25; }
.heat .slice, .heat.by-slice .whole { display:none; } .heat.by-slice .slice { display:inline; }
.tools { display:flex; flex-wrap:wrap; gap:4px 8px; align-items:center; margin:4px 0;
  color:var(--soft); font-size:13px; } .tools input { flex:1; max-width:420px; }
button { font:12px system-ui, "DejaVu Sans", Arial, sans-serif; color:var(--text);
  background:var(--row); border:1px solid var(--line); border-radius:4px; padding:1px 8px; }
pre { font:12px/1.45 ui-monospace, "DejaVu Sans Mono", monospace; background:var(--row);
  padding:8px 12px; overflow-x:auto; white-space:pre-wrap; }
summary { cursor:pointer; color:var(--soft); } .slowest code { font-size:11px; }
.slowest td:not(:last-child) { white-space:nowrap; }
.row { fill:var(--row); } .row.other { fill:none; }
.node { fill:var(--ground); stroke:var(--soft); }
.curve { fill:none; stroke-width:1.5; } .curve.all { stroke:var(--bar); } .curve.worst {
  stroke:var(--second); }
.heat0 { fill:var(--h0); } .heat1 { fill:var(--h1); } .heat2 { fill:var(--h2); } .heat3 {
  fill:var(--h3); }
.heat4 { fill:var(--h4); } .heat5 { fill:var(--h5); } .heat6 { fill:var(--h6); } .heat7 {
  fill:var(--h7); }
.stage0 { fill:var(--s0); } .stage1 { fill:var(--s1); } .stage2 { fill:var(--s2); } .stage3 {
  fill:var(--s3); }
.stage4 { fill:var(--s4); }
@media print { .tools, button { display:none; } body { max-width:none; padding:0; }
  figure, table { break-inside:avoid; }
  * { -webkit-print-color-adjust:exact; print-color-adjust:exact; } }
)";

// Adds what can be done with the pictures; a page whose script does not run shows all the same. The
// section of a machine has the pieces of its axis, see TimeAxis; all its pictures of time show the
// same part.
constexpr const char* kScript = R"(
"use strict";
const commas = n => String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ",");
const make = (name, text, inside) => {
  const element = document.createElement(name);
  element.textContent = text;
  if (inside) inside.append(element);
  return element;
};
const button = (text, title, inside, action) => {
  const element = make("button", text, inside);
  element.type = "button";
  element.title = title;
  element.onclick = action;
};

function machine(section) {
  const pieces = section.dataset.axis.split(";").map(text => {
    const [from, to, at] = text.split(",").map(Number);
    return {from, to, at, end: at + to - from};
  });
  const length = pieces[pieces.length - 1].end;
  const pictures = [...section.querySelectorAll("svg.zoom")];
  const says = [];
  let from = 0, to = length;
  const cycle = at => {
    const piece = pieces.find(p => at <= p.end) || pieces[pieces.length - 1];
    return piece.from + Math.max(0, Math.min(at, piece.end) - piece.at);
  };
  const position = at => {
    const piece = pieces.find(p => at <= p.to) || pieces[pieces.length - 1];
    return piece.at + Math.max(0, Math.min(at, piece.to) - piece.from);
  };
  function ticks(picture) {
    const value = name => picture[name].baseVal.value;
    const left = value("x"), width = value("width"), top = value("y");
    const bottom = top + value("height"), scale = width / (to - from);
    const rough = (to - from) / 8, power = 10 ** Math.floor(Math.log10(rough));
    const step = Math.max(1, power * ([1, 2, 5].find(f => f * power >= rough) || 10));
    const group = picture.parentNode.querySelector(".ticks");
    const add = (name, attributes) => {
      const element = document.createElementNS(picture.namespaceURI, name);
      for (const key in attributes) element.setAttribute(key, attributes[key]);
      group.append(element);
      return element;
    };
    group.textContent = "";
    let before = left - 66;
    for (const piece of pieces) {
      const least = Math.max(piece.from, piece.from + from - piece.at);
      const most = Math.min(piece.to, piece.from + to - piece.at);
      let at = Math.ceil(least / step) * step;
      if (at > most) at = least;
      for (; at <= most; at += step) {
        const x = left + (piece.at + at - piece.from - from) * scale;
        if (x < before + 66) continue;
        add("line", {x1: x, x2: x, y1: top, y2: bottom, class: "grid"});
        add("text", {x, y: bottom + 17, "text-anchor": "middle"}).textContent = commas(at);
        before = x;
      }
    }
  }
  function show(a, b) {
    const span = Math.min(length, Math.max(8, b - a));
    from = Math.max(0, Math.min((a + b - span) / 2, length - span));
    to = from + span;
    for (const picture of pictures) {
      const box = picture.viewBox.baseVal;
      picture.setAttribute("viewBox", `${from} 0 ${span} ${box.height}`);
      ticks(picture);
    }
    for (const element of says) {
      element.textContent = `cycles ${commas(cycle(from))} to ${commas(cycle(to))}`;
    }
  }
  const by = factor => show((from + to - (to - from) * factor) / 2,
                            (from + to + (to - from) * factor) / 2);
  const move = part => show(from + (to - from) * part, to + (to - from) * part);
  for (const picture of pictures) {
    const tools = document.createElement("div");
    tools.className = "tools";
    button("+", "enlarge", tools, () => by(.5));
    button("\u2212", "show more", tools, () => by(2));
    button("\u25c0", "earlier", tools, () => move(-.4));
    button("\u25b6", "later", tools, () => move(.4));
    button("all", "the whole run", tools, () => show(0, length));
    says.push(make("span", "", tools));
    make("span", "Drag across a part to enlarge it; a double click shows all.", tools);
    picture.closest("figure").before(tools);
    const at = event => {
      const frame = picture.getScreenCTM();
      return Math.max(from, Math.min(to, (event.clientX - frame.e) / frame.a));
    };
    let begun = null, chosen = null;
    picture.onpointerdown = event => {
      if (event.button !== 0) return;
      begun = at(event);
      picture.setPointerCapture(event.pointerId);
      chosen = document.createElementNS(picture.namespaceURI, "rect");
      chosen.setAttribute("class", "chosen");
      chosen.setAttribute("height", picture.viewBox.baseVal.height);
      picture.append(chosen);
    };
    picture.onpointermove = event => {
      if (begun === null) return;
      chosen.setAttribute("x", Math.min(begun, at(event)));
      chosen.setAttribute("width", Math.abs(at(event) - begun));
    };
    picture.onpointerup = event => {
      if (begun === null) return;
      const [a, b] = [begun, at(event)].sort((x, y) => x - y);
      begun = null;
      chosen.remove();
      if ((b - a) / (to - from) > .005) show(a, b);
    };
    picture.ondblclick = () => show(0, length);
  }
  for (const row of section.querySelectorAll("tr[data-from]")) {
    const [a, b] = [row.dataset.from, row.dataset.to].map(text => position(Number(text)));
    const margin = Math.max(20, (b - a) * .2);
    button("show", "enlarge its time in the pictures", row.cells[0], () => {
      show(a - margin, b + margin);
      if (pictures.length) pictures[0].closest("figure").scrollIntoView({block: "center"});
    });
  }
  if (pictures.length) show(0, length);
}

function heat(figure) {
  if (!figure.dataset.slices) return;
  const slices = figure.dataset.slices.split(";").map(text => text.split(",").map(Number));
  const shapes = [...figure.querySelectorAll("[data-t]")];
  const whole = shapes.map(shape => shape.getAttribute("class"));
  const tools = document.createElement("div");
  tools.className = "tools";
  make("span", "Time:", tools);
  const slider = make("input", "", tools);
  const says = make("span", "", tools);
  slider.type = "range";
  slider.min = 0;
  slider.max = slices.length;
  slider.value = 0;
  slider.oninput = () => {
    const n = Number(slider.value);
    figure.classList.toggle("by-slice", n > 0);
    shapes.forEach((shape, i) =>
      shape.setAttribute("class", n ? "heat" + shape.dataset.t[n - 1] : whole[i]));
    says.textContent = n ? `cycles ${commas(slices[n - 1][0])} to ${commas(slices[n - 1][1])}`
                         : "all of the program";
  };
  slider.oninput();
  figure.prepend(tools);
}

for (const code of document.querySelectorAll("code.copy")) {
  const element = make("button", "copy");
  element.type = "button";
  element.onclick = () => {
    getSelection().selectAllChildren(code);
    element.textContent = document.execCommand("copy") ? "copied" : "selected";
  };
  code.after(" ", element);
}
document.querySelectorAll("section.machine").forEach(machine);
document.querySelectorAll("figure.heat").forEach(heat);
)";

std::string facts_table(const std::string& id, const std::vector<Fact>& facts) {
  std::string html = fmt::format("<table id=\"{}\">\n", id);
  for (const Fact& fact : facts) {
    html += fmt::format("<tr><th>{}<td>{}</tr>\n", escaped(fact.name), escaped(fact.value));
  }
  return html + "</table>\n";
}

std::string figures_table(const std::vector<Figure>& figures) {
  std::string html = "<table id=\"figures\"><tr><th>figure<th>value<th>unit<th>what it is</tr>\n";
  for (const Figure& figure : figures) {
    html += fmt::format("<tr><td>{}<td class=\"n\">{}<td>{}<td>{}</tr>\n", escaped(figure.name),
                        escaped(figure.value), escaped(figure.unit), escaped(figure.meaning));
  }
  return html + "</table>\n";
}

std::string machine_part(const RunRecord& run, std::size_t number,
                         const std::string& wave_command) {
  const std::string n = std::to_string(number);
  const TimeAxis axis(run);
  std::string html = fmt::format(
      "<section class=\"machine\" data-axis=\"{}\">\n<h2 id=\"machine-{}\">Machine {}: {}</h2>\n"
      "<p>{} cycles. {} from cycle {} to {}: loads of links are shares of these {} cycles.</p>\n",
      axis.str(), n, number + 1, escaped(run.name), with_commas(run.cycles),
      run.program_is_told ? "The program ran" : "Messages were under way",
      with_commas(run.program.from), with_commas(run.program.to),
      with_commas(run.program.cycles()));
  if (run.full_at != kNever) {
    html += fmt::format(
        "<p class=\"note\">There were more messages than are kept: some from cycle {} on are left "
        "out of what is told of messages and queues. The links are counted to the end.</p>\n",
        with_commas(run.full_at));
  }
  html += "<h3>Links</h3>\n" + heat_map("heat-map-" + n, run) + busiest_links(run);
  html += "<h3>Messages</h3>\n<p class=\"note\">";
  html += run.are_of_program
              ? "A message of the program goes from the call that sends it to the moment in which "
                "the receiver has it; so it waits for a receiver that is late."
              : "A transfer is what one descriptor sends over the links. Messages of a node to "
                "itself are on no link, and not here.";
  html += "</p>\n" + timeline("timeline-" + n, run, axis);
  html += never_arrived("lost-" + n, run);
  html += "<h3>Latency</h3>\n" + latency_histogram("latency-" + n, run);
  html += "<h3>Where the time of the slowest went</h3>\n" +
          slowest_stages("stages-" + n, run, wave_command);
  if (run.are_of_program) {
    RunRecord transfers = run;
    transfers.messages = run.transfers;
    transfers.are_of_program = false;
    html += "<h3>Transfers: what descriptors sent</h3>\n" +
            latency_histogram("transfer-latency-" + n, transfers) +
            slowest_stages("transfer-stages-" + n, transfers, wave_command);
  }
  return html + "<h3>Queues over time</h3>\n" + queue_depths("queues-" + n, run, axis) +
         "</section>\n";
}

}  // namespace

std::string result_table(const std::string& id, const std::vector<TestResult>& results) {
  std::string html =
      fmt::format("<table id=\"{}\"><tr><th>result<th>check<th>what was found</tr>\n", escaped(id));
  for (const bool passed : {false, true}) {
    for (const TestResult& result : results) {
      if (result.passed != passed) continue;
      std::string name = escaped(result.name);
      if (!result.link.empty()) {
        name = fmt::format("<a href=\"{}\">{}</a>", escaped(result.link), name);
      }
      html += fmt::format(
          "<tr><td class=\"{}\">{}<td class=\"name\">{}<td class=\"found\">{}</tr>\n",
          passed ? "good" : "bad", passed ? "passed" : "FAILED", name, escaped(result.detail));
    }
  }
  return html + "</table>\n";
}

std::string html_page(const std::string& title, bool passed, const std::string& verdict,
                      const std::string& body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{0}</title>\n"
      "<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n"
      "<p><span id=\"verdict\" class=\"verdict {2}\">{3}</span></p>\n{4}<script>{5}</script>\n"
      "</body>\n</html>\n",
      escaped(title), kStyle, passed ? "good" : "bad", escaped(verdict), body, kScript);
}

std::string html(const Page& page) {
  const auto failed = static_cast<std::size_t>(
      std::count_if(page.checks.begin(), page.checks.end(),
                    [](const TestResult& check) { return !check.passed; }));
  const std::string verdict =
      page.passed ? fmt::format("{} checks passed", page.checks.size())
                  : fmt::format("{} of {} checks failed", failed, page.checks.size());
  std::string body = facts_table("facts", page.facts);
  body +=
      fmt::format("<p>Repeat with: <code class=\"copy\">{}</code></p>\n", escaped(page.command));
  if (!page.options.empty()) {
    body += "<details id=\"options\"><summary>All options</summary>\n" +
            facts_table("option-values", page.options) + "</details>\n";
  }
  body += "<h2>Checks</h2>\n" + result_table("checks", page.checks);
  if (!page.waits.empty()) {
    body += fmt::format("<h2>Who waits for whom</h2>\n<pre id=\"waits\">{}</pre>\n",
                        escaped(page.waits));
  }
  if (!page.told.empty()) {
    body +=
        fmt::format("<h2>What the run says</h2>\n<pre id=\"told\">{}</pre>\n", escaped(page.told));
  }
  if (!page.figures.empty()) body += "<h2>Figures</h2>\n" + figures_table(page.figures);
  if (!page.machines.empty()) {
    body += kMachinesBegin;
    for (std::size_t i = 0; i < page.machines.size(); ++i) {
      body += machine_part(page.machines[i], i, page.wave_command);
    }
    body += kMachinesEnd;
  }
  if (page.machines_left_out != 0) {
    body += fmt::format("<p class=\"note\">{} further machines ran and are not shown.</p>\n",
                        page.machines_left_out);
  }
  return html_page(page.title, page.passed, verdict, body);
}

std::string machines_in(const std::string& page, const std::string& prefix) {
  const std::size_t begin = page.find(kMachinesBegin);
  const std::size_t end = page.rfind(kMachinesEnd);
  if (begin == std::string::npos || end == std::string::npos || end < begin) return "";
  const std::size_t from = begin + kMachinesBegin.size();
  std::string html = page.substr(from, end - from);
  // Texts have no such quotes: they are escaped.
  const std::string name = " id=\"";
  for (std::size_t at = 0; (at = html.find(name, at)) != std::string::npos;) {
    at += name.size();
    html.insert(at, prefix);
  }
  return html;
}

}  // namespace torusmu::report_page
