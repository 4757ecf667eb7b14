#include "line/stamps.h"

#include <array>
#include <cstdio>
#include <cstdlib>

#include "base/simd.h"
#include "base/strings.h"

namespace pt2triage {
namespace {

constexpr size_t kSeconds = 19;  // 2025-04-17T06:19:22
constexpr int64_t kDay = 86400;
// A line is printed soon after torch has looked at the clock.
constexpr int64_t kSoon = 15 * 60;

// Proleptic Gregorian calendar, by H. Hinnant's algorithms.
int64_t DaysOf(int64_t year, int64_t month, int64_t day) {
  year -= month <= 2 ? 1 : 0;
  const int64_t era = (year >= 0 ? year : year - 399) / 400;
  const int64_t yoe = year - era * 400;
  const int64_t doy = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

struct Date {
  int64_t year = 0;
  int64_t month = 0;
  int64_t day = 0;
};

Date DateOf(int64_t days) {
  days += 719468;
  const int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const int64_t doe = days - era * 146097;
  const int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  const int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  const int64_t mp = (5 * doy + 2) / 153;
  Date date;
  date.day = doy - (153 * mp + 2) / 5 + 1;
  date.month = mp < 10 ? mp + 3 : mp - 9;
  date.year = yoe + era * 400 + (date.month <= 2 ? 1 : 0);
  return date;
}

// 2026-11-29T15:22:18
std::string Format(int64_t seconds) {
  int64_t days = seconds / kDay;
  int64_t rest = seconds % kDay;
  if (rest < 0) {
    rest += kDay;
    --days;
  }
  const Date date = DateOf(days);
  std::array<char, 80> out;
  std::snprintf(
      out.data(), out.size(), "%04lld-%02lld-%02lldT%02lld:%02lld:%02lld",
      static_cast<long long>(date.year), static_cast<long long>(date.month),
      static_cast<long long>(date.day), static_cast<long long>(rest / 3600),
      static_cast<long long>(rest / 60 % 60),
      static_cast<long long>(rest % 60));
  return out.data();
}

std::string FormatWithFraction(int64_t count, int64_t unit, int digits) {
  int64_t seconds = count / unit;
  int64_t rest = count % unit;
  if (rest < 0) {
    rest += unit;
    --seconds;
  }
  std::string fraction = std::to_string(rest);
  fraction.insert(0, static_cast<size_t>(digits) - fraction.size(), '0');
  return Format(seconds) + '.' + fraction + 'Z';
}

int64_t Number(std::string_view digits) {
  return ToInt<int64_t>(digits).value_or(0);
}

int64_t ClockSeconds(std::string_view clock) {  // 15:22:18
  return Number(clock.substr(0, 2)) * 3600 + Number(clock.substr(3, 2)) * 60 +
         Number(clock.substr(6, 2));
}

int64_t DaySeconds(std::string_view year, std::string_view month,
                   std::string_view day) {
  return DaysOf(Number(year), Number(month), Number(day)) * kDay;
}

// Seconds since 1970 of a text with an IsoTime at its front.
int64_t SecondsOf(std::string_view text, const IsoTime& time) {
  int64_t seconds =
      DaySeconds(text.substr(0, 4), text.substr(5, 2), text.substr(8, 2)) +
      ClockSeconds(text.substr(11, 8));
  if (time.utc) return seconds;
  std::string_view zone = text.substr(0, time.length);
  zone.remove_prefix(zone.find_last_of("+-"));
  const int64_t minutes =
      Number(zone.substr(1, 2)) * 60 + Number(zone.substr(zone.size() - 2));
  return zone[0] == '+' ? seconds - minutes * 60 : seconds + minutes * 60;
}

std::string_view FractionOf(std::string_view text, const IsoTime& time) {
  if (time.fraction == 0) return {};
  return text.substr(kSeconds, time.fraction + 1);
}

bool HasShape(std::string_view s, std::string_view shape) {
  if (s.size() < shape.size()) return false;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == '0' ? !IsDigit(s[i]) : s[i] != shape[i]) return false;
  }
  return true;
}

std::string Zoned(int64_t torch, std::string_view fraction, int64_t stamp) {
  std::string out = Format(torch) + '.';
  out.append(fraction);
  if (std::llabs(torch - stamp) < kSoon) out += 'Z';
  return out;
}

}  // namespace

IsoTime ReadIsoTime(std::string_view text) {
  constexpr Shape8 kDate("0000-00-");
  constexpr Shape8 kMiddle("00T00:00");
  constexpr Shape8 kTime("00:00:00");
  if (text.size() <= kSeconds || !kDate.Matches(text.data()) ||
      !kMiddle.Matches(text.data() + 8) ||
      !kTime.Matches(text.data() + kSeconds - 8)) {
    return {};
  }
  IsoTime time;
  std::string_view rest = text.substr(kSeconds);
  if (Consume(&rest, ".")) time.fraction = ConsumeDigits(&rest).size();
  time.utc = Consume(&rest, "Z");
  if (!time.utc) {
    if (rest.empty() || (rest[0] != '+' && rest[0] != '-')) return {};
    if (HasShape(rest.substr(1), "00:00")) {
      rest.remove_prefix(6);
    } else if (HasShape(rest.substr(1), "0000")) {
      rest.remove_prefix(5);
    } else {
      return {};
    }
  }
  time.length = text.size() - rest.size();
  return time;
}

std::string UtcTime(std::string_view text) {
  const IsoTime time = ReadIsoTime(text);
  if (time.length == 0) return {};
  if (time.utc) return std::string(text.substr(0, time.length));
  std::string out = Format(SecondsOf(text, time));
  out.append(FractionOf(text, time));
  return out + 'Z';
}

std::string UtcTimeOfMillis(int64_t millis) {
  return FormatWithFraction(millis, 1000, 3);
}
std::string UtcTimeOfMicros(int64_t micros) {
  return FormatWithFraction(micros, 1000000, 6);
}

std::string DatedTorchTime(std::string_view torch, std::string_view stamp) {
  const IsoTime time = ReadIsoTime(stamp);
  if (time.length == 0) return {};
  const int64_t near = SecondsOf(stamp, time);
  if (HasShape(torch, "0000-00-00 00:00:00,000")) {
    const int64_t seconds =
        DaySeconds(torch.substr(0, 4), torch.substr(5, 2), torch.substr(8, 2)) +
        ClockSeconds(torch.substr(11, 8));
    return Zoned(seconds, torch.substr(20, 3), near);
  }
  if (!HasShape(torch, "0000 00:00:00.000000")) return {};
  const int64_t month = Number(torch.substr(0, 2));
  const int64_t day = Number(torch.substr(2, 2));
  const int64_t clock = ClockSeconds(torch.substr(5, 8));
  const int64_t year = Number(stamp.substr(0, 4));
  std::optional<int64_t> best;
  for (int64_t y = year - 1; y <= year + 1; ++y) {
    const int64_t days = DaysOf(y, month, day);
    const Date date = DateOf(days);
    // No such day, as of 29 February.
    if (date.month != month || date.day != day) continue;
    const int64_t seconds = days * kDay + clock;
    if (!best || std::llabs(seconds - near) < std::llabs(*best - near)) {
      best = seconds;
    }
  }
  if (!best) return {};
  return Zoned(*best, torch.substr(14, 6), near);
}

}  // namespace pt2triage
