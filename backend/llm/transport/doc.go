// Package transport sends a model request and reads its streamed answer, with the limits and the error kinds that all
// adapters share.
//
// A stream may be silent for a while before its first byte (a model thinks, a local server loads it) and less long
// between bytes; then it ends with llm.ErrSilent. An answer is at most 32 MiB, one event 8 MiB, all of the stream 512 MiB
// (llm.ErrTooLarge). Errors never hold the key, and never the address with what a person may have pasted into it.
package transport
