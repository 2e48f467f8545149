// Package wire holds the records that cross from the engine to a shell (window, browser page, command line) and the
// [Rejection] with its codes. It has no behaviour of its own beyond validation of shape, so that every layer may import it.
//
// All times are UTC milliseconds since the Unix epoch. All JSON names are snake_case. The TypeScript types of the page
// are generated from these structs, so a field added here appears there.
package wire
