// Package headless serves the same services that the window binds over HTTP, and the same page, to browsers and scripts.
//
//	POST /api/{Service}.{Method}   a JSON array of arguments; {"result": …} or {"error": {"code", "message", "fatal"}}
//	GET  /events?client=ID         a WebSocket; each message is a JSON array of envelopes
//	GET  /                         the page
//
// # Who may call
//
// Every call carries the token that was made at the start: as "Authorization: Bearer TOKEN", or for the WebSocket, for
// which a browser cannot set headers, as the subprotocol after "mobius". The page finds it in the fragment of its address
// (#token=…), which is never sent or logged, and takes it out of the address at once; it keeps it for its tab. There is no
// cookie, which any other server on this machine could read. The page itself holds nothing and needs no token.
//
// The Host must be one that the server listens on, so that a foreign name that resolves to loopback is refused, and an
// Origin, where there is one, must be the server's own.
//
// On the control socket inside the private state directory, the directory's rights take the token's place.
//
// # Results
//
// A result is sent as encoding/json writes it, or as it writes itself if it has a method WriteJSON(io.Writer) error.
package headless
