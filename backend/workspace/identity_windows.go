package workspace

import (
	"fmt"
	"os"
	"syscall"
)

const openFlags = os.O_RDONLY

// identity is the volume's serial number and the file's index on it.
func identity(f *os.File) string {
	var info syscall.ByHandleFileInformation
	if err := syscall.GetFileInformationByHandle(syscall.Handle(f.Fd()), &info); err != nil {
		return ""
	}
	return fmt.Sprintf("%x-%x", info.VolumeSerialNumber, uint64(info.FileIndexHigh)<<32|uint64(info.FileIndexLow))
}
