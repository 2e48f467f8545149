//go:build desktop || bindings || dev

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"sync"
	"sync/atomic"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/logger"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	"github.com/wailsapp/wails/v2/pkg/runtime"

	"mobius/backend/api"
	"mobius/backend/cli"
	"mobius/backend/desktop"
	"mobius/backend/engine"
	"mobius/backend/wire"
)

// windowClient is the feed client of the window's page.
const windowClient = "window"

const title = "Mobius"

// App is the Wails application: it binds the services, forwards the feed to the page and owns the window's life cycle.
// Its exported methods are bound too: they are what only a desktop can do.
type App struct {
	engine  *engine.Engine
	window  *cli.Window
	closing atomic.Bool

	mu        sync.Mutex
	ctx       context.Context // Wails' handle of the window, not a lifetime
	stop      context.CancelFunc
	forwarded chan struct{}
}

// ChooseFolder shows the system's dialog for choosing a folder; "" when it was cancelled.
func (a *App) ChooseFolder(start string) (string, error) {
	o := runtime.OpenDialogOptions{Title: title, CanCreateDirectories: true}
	if info, err := os.Stat(start); err == nil && info.IsDir() {
		o.DefaultDirectory = start
	}
	return runtime.OpenDirectoryDialog(a.ctx, o)
}

// OpenURL shows an address in the system's browser. Only web and mail addresses are opened.
func (a *App) OpenURL(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "mailto" {
		return wire.Reject(wire.CodeInvalidRequest, "Only http, https and mailto addresses are opened.")
	}
	runtime.BrowserOpenURL(a.ctx, u.String())
	return nil
}

// addWindow gives the command line its window.
func addWindow(deps *cli.Deps, page fs.FS) {
	deps.Display = desktop.Display
	deps.Browser = desktop.OpenBrowser
	deps.Desktop = func(ctx context.Context, e *engine.Engine, window *cli.Window) error {
		return runWindow(ctx, e, window, page)
	}
}

// runWindow shows the window until it is closed or ctx ends. A webview that cannot start is an error.
func runWindow(ctx context.Context, e *engine.Engine, window *cli.Window, page fs.FS) (err error) {
	defer func() {
		if p := recover(); p != nil { // GTK that cannot start panics
			err = fmt.Errorf("the webview did not start: %v", p)
		}
	}()
	slog.Info("renderer chosen", "renderer", desktop.Renderer(desktop.NvidiaModule, window.SafeMode))
	app := &App{engine: e, window: window}
	place := desktop.LoadWindow(e.StateDir)
	ended := context.AfterFunc(ctx, app.quit)
	defer ended()
	o := app.options(e.Services, page, place)
	o.OnStartup = func(wails context.Context) {
		app.startup(wails, place)
		if ctx.Err() != nil { // it was ended before there was a window to quit
			app.quit()
		}
	}
	return wails.Run(o)
}

func (a *App) options(services *api.Services, page fs.FS, place desktop.Window) *options.App {
	return &options.App{
		Title: title, Width: place.Width, Height: place.Height, MinWidth: desktop.MinWidth, MinHeight: desktop.MinHeight,
		AssetServer:      &assetserver.Options{Assets: page},
		BackgroundColour: background(services),
		Bind:             append(services.List(), a),
		ErrorFormatter:   rejection,
		OnBeforeClose:    a.beforeClose,
		OnShutdown:       a.shutdown,
		LogLevel:         logger.ERROR, LogLevelProduction: logger.ERROR,
		DragAndDrop: &options.DragAndDrop{EnableFileDrop: true},
		Linux:       &linux.Options{ProgramName: "mobius", WebviewGpuPolicy: gpuPolicy(os.Getenv("MOBIUS_GPU"))},
	}
}

// The page's own colours, which the window has until the page is drawn.
var light, dark = options.NewRGB(0xff, 0xff, 0xff), options.NewRGB(0x18, 0x19, 0x1d)

// background is the colour of the person's theme.
func background(services *api.Services) *options.RGBA {
	if theme(services) == "dark" {
		return dark
	}
	return light
}

func theme(services *api.Services) string {
	settings, err := services.Settings.Get()
	if err != nil {
		return "system"
	}
	return settings.Theme
}

// rejection gives an error to the page as JSON text: Wails makes a JavaScript Error of it, whose message must be a text.
func rejection(err error) any {
	text, err := json.Marshal(wire.AsRejection(err))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// gpuPolicy is software drawing unless the person asks for more: it needs 70 MB less and never leaves a window unpainted.
func gpuPolicy(wanted string) linux.WebviewGpuPolicy {
	switch wanted {
	case "always":
		return linux.WebviewGpuPolicyAlways
	case "ondemand":
		return linux.WebviewGpuPolicyOnDemand
	}
	return linux.WebviewGpuPolicyNever
}

// quit ends the window, if there is one.
func (a *App) quit() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ctx != nil {
		runtime.Quit(a.ctx)
	}
}

func (a *App) startup(ctx context.Context, place desktop.Window) {
	forward, stop := context.WithCancel(ctx)
	a.mu.Lock()
	a.ctx, a.stop, a.forwarded = ctx, stop, make(chan struct{})
	a.mu.Unlock()
	sub := a.engine.Feed.Subscribe(windowClient)
	go func() {
		defer close(a.forwarded)
		defer sub.Close()
		for {
			batch, err := sub.Next(forward)
			if err != nil {
				return
			}
			runtime.EventsEmit(ctx, "batch", json.RawMessage(batch))
		}
	}()
	desktop.Attach()
	if t := theme(a.engine.Services); t != "light" && t != "dark" {
		desktop.WithTheme(func(isDark bool) {
			if isDark {
				runtime.WindowSetBackgroundColour(ctx, dark.R, dark.G, dark.B, dark.A)
			}
		})
	}
	if !desktop.Place(place) && place.Maximised {
		runtime.WindowMaximise(ctx)
	}
	a.window.OnShow(func(token string) {
		if !desktop.Present(token) {
			runtime.Show(ctx)
			runtime.WindowShow(ctx)
			runtime.WindowUnminimise(ctx)
		}
	})
}

// beforeClose remembers where the window is. It never prevents the end, which the close button, Quit and SIGTERM all ask
// for here; of several that ask at once only the first goes on.
func (a *App) beforeClose(ctx context.Context) (prevent bool) {
	if a.closing.Swap(true) {
		return true
	}
	place := desktop.LoadWindow(a.engine.StateDir)
	place.Maximised = runtime.WindowIsMaximised(ctx)
	if runtime.WindowIsNormal(ctx) {
		place.Width, place.Height = runtime.WindowGetSize(ctx)
		place.X, place.Y = runtime.WindowGetPosition(ctx)
		place.Placed = true
	}
	if err := place.Save(a.engine.StateDir); err != nil {
		slog.Warn("the window's place was not saved", "error", err)
	}
	return false
}

func (a *App) shutdown(context.Context) {
	a.window.OnShow(nil)
	a.stop()
	<-a.forwarded
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ctx = nil
}
