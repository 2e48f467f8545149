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

// App is the Wails application: it binds the services, forwards the feed to the page and owns the window's life cycle.
// Its exported methods are bound too: they are what only a desktop can do.
type App struct {
	engine *engine.Engine
	window *cli.Window

	mu        sync.Mutex
	ctx       context.Context //nolint:containedctx // Wails' handle of the window, not a lifetime
	stop      context.CancelFunc
	forwarded chan struct{}
}

// ChooseFolder shows the system's dialog for choosing a folder; "" when it was cancelled.
func (a *App) ChooseFolder(start string) (string, error) {
	o := runtime.OpenDialogOptions{Title: "Choose a folder", CanCreateDirectories: true}
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
	slog.Info("renderer chosen", "renderer", desktop.Renderer(desktop.NvidiaModule))
	app := &App{engine: e, window: window}
	place := desktop.LoadWindow(e.StateDir)
	ended := context.AfterFunc(ctx, func() {
		app.mu.Lock()
		defer app.mu.Unlock()
		if app.ctx != nil {
			runtime.Quit(app.ctx)
		}
	})
	defer ended()
	return wails.Run(app.options(e.Services, page, place))
}

func (a *App) options(services *api.Services, page fs.FS, place desktop.Window) *options.App {
	return &options.App{
		Title: "Mobius", Width: place.Width, Height: place.Height, MinWidth: desktop.MinWidth, MinHeight: desktop.MinHeight,
		AssetServer:      &assetserver.Options{Assets: page},
		BackgroundColour: options.NewRGB(24, 25, 28),
		Bind:             append(services.List(), a),
		ErrorFormatter:   func(err error) any { return wire.AsRejection(err) },
		OnStartup:        func(ctx context.Context) { a.startup(ctx, place) },
		OnBeforeClose:    a.beforeClose,
		OnShutdown:       a.shutdown,
		LogLevel:         logger.ERROR, LogLevelProduction: logger.ERROR,
		DragAndDrop: &options.DragAndDrop{EnableFileDrop: true},
		Linux:       &linux.Options{ProgramName: "mobius", WebviewGpuPolicy: gpuPolicy(os.Getenv("MOBIUS_GPU"))},
	}
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
	a.place(ctx, place)
	a.window.OnShow(func() {
		runtime.WindowUnminimise(ctx)
		runtime.Show(ctx)
		runtime.WindowShow(ctx)
	})
}

func (a *App) place(ctx context.Context, place desktop.Window) {
	var screens []desktop.Screen
	if list, err := runtime.ScreenGetAll(ctx); err == nil {
		for _, s := range list {
			screens = append(screens, desktop.Screen{Width: s.Size.Width, Height: s.Size.Height})
		}
	}
	fitted := place.Fit(screens)
	if fitted.Width != place.Width || fitted.Height != place.Height {
		runtime.WindowSetSize(ctx, fitted.Width, fitted.Height)
	}
	if fitted.Placed {
		runtime.WindowSetPosition(ctx, fitted.X, fitted.Y)
	}
	if fitted.Maximised {
		runtime.WindowMaximise(ctx)
	}
}

// beforeClose remembers where the window is. It never prevents the end: Quit and SIGTERM come through here too.
func (a *App) beforeClose(ctx context.Context) bool {
	place := desktop.LoadWindow(a.engine.StateDir)
	place.Maximised = runtime.WindowIsMaximised(ctx)
	if !place.Maximised && !runtime.WindowIsMinimised(ctx) {
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
