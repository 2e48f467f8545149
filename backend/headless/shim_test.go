package headless

import (
	"os/exec"
	"testing"
)

// The shim is tested in JavaScript; the page's own tests run it in a real browser.
func TestTheShim(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	out, err := exec.CommandContext(t.Context(), node, "--test", "testdata/shim.test.mjs").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
