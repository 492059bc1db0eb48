// SPDX-License-Identifier: Apache-2.0
#include "tb/lab/plan_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "sim/machine/errors.h"

namespace torusmu::lab {
namespace {

using nlohmann::json;

// Goes through the text from token to token, beside the parser, which does not tell where it is.
class Cursor {
 public:
  // The parser passes over a byte order mark.
  explicit Cursor(const std::string& text)
      : text_(text), at_(text.starts_with("\xEF\xBB\xBF") ? 3 : 0) {}

  // Where the next token begins that is no comma and no colon.
  std::size_t next() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (text_.compare(at_, 2, "//") == 0) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_.compare(at_, 2, "/*") == 0) {
        at_ = std::min(text_.find("*/", at_ + 2), text_.size() - 2) + 2;
      } else if (kBetween.find(c) != std::string_view::npos) {
        ++at_;
      } else {
        break;
      }
    }
    return at_;
  }
  // Passes the token that stands there, and gives it.
  std::string take() {
    const std::size_t from = next();
    if (text_[from] == '"') {
      for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) at_ += text_[at_] == '\\' ? 1 : 0;
      ++at_;
    } else if (kBrackets.find(text_[from]) != std::string_view::npos) {
      ++at_;
    } else {
      at_ = std::min(text_.find_first_of(" \t\r\n,:[]{}/\"", from), text_.size());
    }
    return text_.substr(from, at_ - from);
  }
  [[nodiscard]] Place place(std::size_t offset) const {
    offset = std::min(offset, text_.size());
    const auto begin = text_.begin();
    const auto end = begin + static_cast<std::ptrdiff_t>(offset);
    const std::size_t newline = offset == 0 ? std::string::npos : text_.rfind('\n', offset - 1);
    return {1 + static_cast<std::size_t>(std::count(begin, end, '\n')),
            newline == std::string::npos ? offset + 1 : offset - newline};
  }

 private:
  static constexpr std::string_view kBetween = " \t\r\n,:";
  static constexpr std::string_view kBrackets = "[]{}";
  const std::string& text_;
  std::size_t at_;
};

class Reader final : public nlohmann::json_sax<json> {
 public:
  Reader(std::string file, const std::string& text) : file_(std::move(file)), cursor_(text) {}

  bool null() override { return leaf(PlanValue::Kind::kWord); }
  bool boolean(bool /*value*/) override { return leaf(PlanValue::Kind::kWord); }
  bool number_integer(number_integer_t /*value*/) override { return leaf(PlanValue::Kind::kWord); }
  bool number_unsigned(number_unsigned_t value) override {
    leaf(PlanValue::Kind::kNumber);
    last_->number = value;
    return true;
  }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override {
    return leaf(PlanValue::Kind::kWord);
  }
  bool string(string_t& value) override {
    leaf(PlanValue::Kind::kString);
    last_->text = value;
    return true;
  }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*size*/) override { return open(PlanValue::Kind::kObject); }
  bool start_array(std::size_t /*size*/) override { return open(PlanValue::Kind::kArray); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    const Place place = cursor_.place(cursor_.next());
    cursor_.take();
    std::vector<PlanMember>& members = open_.back()->members;
    if (std::any_of(members.begin(), members.end(),
                    [&](const PlanMember& member) { return member.name == name; })) {
      fail(place, fmt::format("found \"{}\" a second time, expected each name once", name));
    }
    members.push_back({name, place, {}});
    return true;
  }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const json::exception& error) override {
    // "... syntax error while parsing object - unexpected end of input; expected '}'"
    std::string what = error.what();
    const std::size_t dash = what.find(" - ");
    if (dash != std::string::npos) what = what.substr(dash + 3);
    // The parser says what it expected, the scanner of words and numbers does not.
    if (what.find("expected") == std::string::npos) {
      what += "; expected JSON, with names and text in double quotes";
    }
    // The token that is wrong, or a comma or colon before it; the parser has read to its end.
    fail(cursor_.place(std::min(cursor_.next(), position - std::min<std::size_t>(position, 1))),
         what);
  }

  [[nodiscard]] PlanValue take() { return std::move(root_); }

 private:
  // A plan needs four; what reads the values calls itself.
  static constexpr std::size_t kDeepest = 8;

  [[noreturn]] void fail(Place place, const std::string& what) const {
    throw UsageError(fmt::format("{}:{}:{}: {}", file_, place.line, place.column, what));
  }
  PlanValue& add(PlanValue::Kind kind) {
    PlanValue value;
    value.kind = kind;
    value.place = cursor_.place(cursor_.next());
    value.text = cursor_.take();
    if (open_.empty()) {
      root_ = std::move(value);
      return root_;
    }
    PlanValue& parent = *open_.back();
    if (parent.kind == PlanValue::Kind::kObject) {
      parent.members.back().value = std::move(value);
      return parent.members.back().value;
    }
    parent.items.push_back(std::move(value));
    return parent.items.back();
  }
  bool leaf(PlanValue::Kind kind) {
    last_ = &add(kind);
    return true;
  }
  // Nothing is added beside an open value, so that pointers to those that are open stay good.
  bool open(PlanValue::Kind kind) {
    PlanValue& value = add(kind);
    if (open_.size() == kDeepest) {
      fail(value.place, fmt::format("found {}, expected at most {} lists and objects in each other",
                                    value.found(), kDeepest));
    }
    open_.push_back(&value);
    return true;
  }
  bool close() {
    cursor_.take();
    open_.pop_back();
    return true;
  }

  std::string file_;
  Cursor cursor_;
  PlanValue root_;
  PlanValue* last_ = nullptr;
  std::vector<PlanValue*> open_;
};

}  // namespace

std::string PlanValue::found() const {
  switch (kind) {
    case Kind::kString:
      return "\"" + text + "\"";
    case Kind::kArray:
      return "a list";
    case Kind::kObject:
      return "an object";
    default:
      return text;
  }
}

PlanValue parse_plan_json(const std::string& file, const std::string& text) {
  Reader reader(file, text);
  constexpr bool kStrict = true, kWithComments = true;
  json::sax_parse(text, &reader, json::input_format_t::json, kStrict, kWithComments);
  return reader.take();
}

}  // namespace torusmu::lab
