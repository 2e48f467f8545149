// Package agent runs one turn: it asks the model, carries out the tools it calls, gives the results back, and repeats
// until the model answers without a call, fails, is interrupted or reaches its step limit. It keeps no storage and knows
// no page: everything it does goes through a [Recorder], which makes it durable and shows it.
package agent
