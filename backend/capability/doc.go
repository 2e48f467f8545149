// Package capability is what Bots can be given: named sets of tools with the words that tell a model about them. A
// capability is one folder below this one that exports New, and one line in the composition root:
//
//	set, err := capability.NewSet(files.New())
//
// The rules that hold for every tool are here, so that no tool can forget them: a call for an unknown tool is answered
// with the names there are, arguments are decoded strictly ([Decode]), and no result is longer than [MaxOutput].
//
// Errors are written for the model, which reads them and tries again: they say what is wrong and what would be right.
package capability
