//go:build linux && webdriver

package main

import _ "mobius/backend/desktop/automation" // lets the window test steer the window
