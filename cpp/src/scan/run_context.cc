#include "scan/run_context.h"

#include <memory>
#include <string>
#include <utility>

#include "line/stamps.h"

namespace pt2triage {
namespace {

// NAME/CONTAINER out of a writer's `[pod/NAME/CONTAINER]`.
std::string_view PodOf(std::string_view stream) {
  constexpr std::string_view kHead = "[pod/";
  const size_t pod = stream.find(kHead);
  if (pod == std::string_view::npos) return {};
  stream.remove_prefix(pod + kHead.size());
  return stream.substr(0, stream.find(']'));
}

Origin OriginOf(const Event& event, const Places::Place* place,
                const Origin& outside) {
  Origin origin = outside;
  if (place != nullptr) {
    if (!place->job.empty()) origin.job = place->job;
    // A command is a step's name only where there is no better one.
    const bool better = !place->named && !outside.step.empty();
    if (!place->step.empty() && !better) origin.step = place->step;
  }
  const std::string_view pod = PodOf(event.stream);
  if (!pod.empty()) origin.job.assign(pod);
  return origin;
}

void AddDate(std::string_view first_stamp, Event* event) {
  if (event->time.empty() || first_stamp.empty()) return;
  std::string time = UtcTime(event->time);
  if (time.empty()) time = DatedTorchTime(event->time, first_stamp);
  if (!time.empty()) event->time = std::move(time);
}

}  // namespace

void AddRunContext(const Places& places, const Origin& origin,
                   std::string_view first_stamp, std::vector<Event>* events) {
  std::shared_ptr<const Origin> last;  // most events share one
  for (Event& event : *events) {
    AddDate(first_stamp, &event);
    Origin own = OriginOf(event, places.At(event.evidence.offset), origin);
    if (own == Origin()) continue;
    if (last == nullptr || *last != own) {
      last = std::make_shared<const Origin>(std::move(own));
    }
    event.origin = last;
  }
}

}  // namespace pt2triage
