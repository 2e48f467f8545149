// Package workspace is everything about the folder that a conversation works in: which folders may be one, how a moved
// one is recognised, and how its files are walked, found and read. Files are opened through os.Root only, so that no
// path and no link leads out of the folder.
package workspace
