// Package api holds the services that every shell calls: the Wails window binds them, the headless server serves them over
// HTTP, the command line calls them through either. Their exported methods are the API, so a method takes and gives only
// [wire] records and plain values, and its error is always a *[wire.Rejection].
//
// Methods take no context: a window cannot pass one. A call that has to wait does so within the gateway's life and a limit.
package api
