// SPDX-License-Identifier: Apache-2.0
#include "sim/report_page/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/report_page/plot.h"

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
@media print { body { max-width:none; padding:0; } figure, table { break-inside:avoid; }
  * { -webkit-print-color-adjust:exact; print-color-adjust:exact; } }
)";

std::string facts_table(const std::vector<Fact>& facts) {
  std::string html = "<table id=\"facts\">\n";
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

std::string machine_part(const RunRecord& run, std::size_t number) {
  const std::string n = std::to_string(number);
  std::string html = fmt::format("<h2 id=\"machine-{}\">Machine {}: {}</h2>\n<p>{} cycles.</p>\n",
                                 n, number + 1, escaped(run.name), with_commas(run.cycles));
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
  html += "</p>\n" + timeline("timeline-" + n, run);
  html += "<h3>Latency</h3>\n" + latency_histogram("latency-" + n, run);
  html += "<h3>Where the time of the slowest went</h3>\n" + slowest_stages("stages-" + n, run);
  if (run.are_of_program) {
    RunRecord transfers = run;
    transfers.messages = run.transfers;
    transfers.are_of_program = false;
    html += "<h3>Transfers: what descriptors sent</h3>\n" +
            latency_histogram("transfer-latency-" + n, transfers) +
            slowest_stages("transfer-stages-" + n, transfers);
  }
  return html + "<h3>Queues over time</h3>\n" + queue_depths("queues-" + n, run);
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
      "<p><span id=\"verdict\" class=\"verdict {2}\">{3}</span></p>\n{4}</body>\n</html>\n",
      escaped(title), kStyle, passed ? "good" : "bad", escaped(verdict), body);
}

std::string html(const Page& page) {
  const auto failed = static_cast<std::size_t>(
      std::count_if(page.checks.begin(), page.checks.end(),
                    [](const TestResult& check) { return !check.passed; }));
  const std::string verdict =
      page.passed ? fmt::format("{} checks passed", page.checks.size())
                  : fmt::format("{} of {} checks failed", failed, page.checks.size());
  std::string body = facts_table(page.facts);
  body += fmt::format("<p>Repeat with: <code>{}</code></p>\n", escaped(page.command));
  body += "<h2>Checks</h2>\n" + result_table("checks", page.checks);
  if (!page.figures.empty()) body += "<h2>Figures</h2>\n" + figures_table(page.figures);
  if (!page.machines.empty()) {
    body += kMachinesBegin;
    for (std::size_t i = 0; i < page.machines.size(); ++i) {
      body += machine_part(page.machines[i], i);
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
