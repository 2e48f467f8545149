// Package gateway owns all state of the running program: the registry of resident sessions, the mutation gate, the Bots,
// the provider instances and the settings. Every shell calls the same gateway, through the services of package api.
//
// # The gate
//
// One process-wide reader/writer gate ([gate]) orders what changes. Bot and provider changes take it exclusively and
// wait; creating and opening sessions takes it shared and waits; a submission takes it shared and never waits
// (gateway_busy). Inside it the registry lock guards the map of residents, never across a model call.
package gateway
