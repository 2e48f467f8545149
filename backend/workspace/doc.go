// Package workspace knows everything about the folder that a conversation works in: whether a folder may be one
// ([Check]), how it is recognised after a move ([Identity]), how its files are reached without ever leaving it ([Root]),
// which of them matter ([Root.Walk] follows .gitignore), how they are found by a few typed letters ([Folders.Find]), and
// how their bytes become text ([Decode]).
//
// Two rules hold everywhere. A file is opened through an os.Root and never by a path that was checked before, so that a
// link that is swapped in between leads nowhere. And only regular files are read: a pipe, a socket or a device is told by
// its kind and left alone, since reading one may wait for ever.
package workspace
