// SPDX-License-Identifier: MPL-2.0

// Package yamledit changes owned fields in somebody else's YAML and leaves
// every other byte as it is.
//
// No Go library re-encodes people's files without change, so nothing is
// re-encoded here. A parser tells where things stand, the bytes of the owned
// fields are replaced in the source, and the result is parsed again: it must
// differ from what was there in exactly the owned fields. What cannot be
// edited so is refused with an [UnsafeError]; there is no fallback.
//
// # How an edit looks
//
//   - A value that is already there, however it is spelled, is not touched.
//   - A replaced scalar keeps its quotes or its block style where the new value
//     allows it, and the comment behind it stays.
//   - A replaced list or mapping is edited element by element: what is equal
//     keeps its bytes and comments.
//   - A new key goes after the last one of its mapping, a new list element
//     where its neighbours are, both in the style of their siblings. Comments
//     that follow the last key are left to what comes after.
//   - A removed field takes the rest of its lines with it, a comment at their
//     end included. Comments on lines of their own stay: they are a person's.
//     A mapping or list that loses its last member becomes {} or [].
//
// # What is refused
//
// A change that an alias would carry elsewhere, a path through an alias, a
// field that a merge key (<<) supplies, a duplicate key on the path, a parent
// that is something else than a mapping or a list, text of a template.
//
// The package is pure: it reads no file, clock, or environment.
package yamledit
