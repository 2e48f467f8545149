// Package desktop is what only a desktop has and what needs no window to be tested: where the window was, whether a
// display is there, and which workarounds the webview needs.
package desktop
