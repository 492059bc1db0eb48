// SPDX-License-Identifier: Apache-2.0
// A collective that the MU runs, as its queues: a column for each member's queue with a box for
// each descriptor of the list that host/src/translation.h makes, from top to bottom, and an arrow
// from the PUT that bumps an event counter, or from the last descriptor that another queue has to
// have done, to the WAIT that this count releases.
//
// A row is a step in time, if all PUTs took the same: a box stands below the one before it in its
// queue, and a WAIT below the PUTs that release it. So every arrow leads down, and a picture in
// which all boxes have a place is one of lists in which nobody waits for ever.
#ifndef TORUSMU_DOCS_DRAW_COLLECTIVE_H_
#define TORUSMU_DOCS_DRAW_COLLECTIVE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "host/src/translation.h"

namespace torusmu::draw {

// The lists of the queues of a group, and what to call the places that they name.
struct QueueLists {
  struct Place {
    RegionId region;
    Bytes from = 0, to = 0;  // offsets in the region
    std::string name;        // "in"
  };
  std::string title;
  Bytes element = 8;  // the unit in which places are counted
  struct List {
    std::size_t member = 0;  // node
    QueueId queue;
    std::string name;  // "sums"
    std::vector<Descriptor> descriptors;
  };
  // Lists of operands of CALCs, and where they lie.
  struct Operands {
    RegionPlace at;
    std::vector<Operand> operands;
  };
  std::vector<List> lists;
  std::vector<std::vector<Place>> places;  // of each member
  std::vector<Operands> operands;          // of each member
  std::uint32_t first_event = 0;           // the event counter that is called 0
};

// Throws std::runtime_error if a WAIT is never released, if a counter is bumped and no WAIT counts
// it, or for a descriptor that names a place or an opcode that the picture has no words for.
std::string draw_queues(const QueueLists& queues);

// The lists of `members` members that run the call, member 0 the root, each piece or block as
// short as the algorithm allows. Names as in name_of(). Throws std::runtime_error if no such
// algorithm is known, or if the MU cannot run the call.
QueueLists lists_of(const std::string& collective, const std::string& algorithm,
                    std::uint32_t members);

}  // namespace torusmu::draw

#endif  // TORUSMU_DOCS_DRAW_COLLECTIVE_H_
