// Package automation lets a WebDriver steer the window, for the window test. It is part of builds with the tag webdriver
// only: a released program can never be steered.
package automation
