// expect: floor
// SPDX-License-Identifier: Apache-2.0
// Fixture of source_lint: a source that lies beside the floors.
