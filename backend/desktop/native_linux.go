//go:build linux && desktop

package desktop

/*
#cgo linux pkg-config: gtk+-3.0
#cgo !webkit2_41 pkg-config: webkit2gtk-4.0
#cgo webkit2_41 pkg-config: webkit2gtk-4.1

#include <gtk/gtk.h>
#ifdef GDK_WINDOWING_X11
#include <gdk/gdkx.h>
#endif
#include <stdint.h>
#include <stdlib.h>
#include <webkit2/webkit2.h>

extern void mobiusOnMain(uintptr_t handle);
extern int mobiusAllowed(char *address);
extern void mobiusPageEnded(uintptr_t guard, int reason);

static gboolean on_main(gpointer handle) {
	mobiusOnMain((uintptr_t)handle);
	return G_SOURCE_REMOVE;
}

// Low priority: what the toolkit has queued for the window (showing and centring it) is done before.
static void to_main(uintptr_t handle) { g_idle_add_full(G_PRIORITY_LOW, on_main, (gpointer)handle, NULL); }

static void find_view(GtkWidget *widget, gpointer found) {
	if (WEBKIT_IS_WEB_VIEW(widget))
		*(GtkWidget **)found = widget;
	else if (GTK_IS_CONTAINER(widget))
		gtk_container_forall(GTK_CONTAINER(widget), find_view, found);
}

static GtkWidget *the_view(void) {
	GtkWidget *view = NULL;
	GList *windows = gtk_window_list_toplevels();
	for (GList *w = windows; w != NULL && view == NULL; w = w->next) find_view(GTK_WIDGET(w->data), &view);
	g_list_free(windows);
	return view;
}

static GtkWindow *window_of(GtkWidget *view) { return GTK_WINDOW(gtk_widget_get_toplevel(view)); }

static gboolean on_decide(WebKitWebView *view, WebKitPolicyDecision *decision, WebKitPolicyDecisionType type, gpointer data) {
	if (type == WEBKIT_POLICY_DECISION_TYPE_RESPONSE) return FALSE;
	WebKitNavigationAction *action = webkit_navigation_policy_decision_get_navigation_action(WEBKIT_NAVIGATION_POLICY_DECISION(decision));
	const char *address = webkit_uri_request_get_uri(webkit_navigation_action_get_request(action));
	if (type == WEBKIT_POLICY_DECISION_TYPE_NAVIGATION_ACTION && mobiusAllowed((char *)address)) return FALSE;
	webkit_policy_decision_ignore(decision);
	return TRUE;
}

static void on_terminated(WebKitWebView *view, WebKitWebProcessTerminationReason reason, gpointer guard) {
	mobiusPageEnded((uintptr_t)guard, reason);
}

static void attach(GtkWidget *view, uintptr_t guard) {
	g_signal_connect(view, "decide-policy", G_CALLBACK(on_decide), NULL);
	g_signal_connect(view, "web-process-terminated", G_CALLBACK(on_terminated), (gpointer)guard);
}

static void load(GtkWidget *view, const char *address) { webkit_web_view_load_uri(WEBKIT_WEB_VIEW(view), address); }

static void load_text(GtkWidget *view, const char *html) { webkit_web_view_load_html(WEBKIT_WEB_VIEW(view), html, NULL); }

static int monitors(void) { return gdk_display_get_n_monitors(gdk_display_get_default()); }

static GdkRectangle work_area(int n) {
	GdkRectangle area = {0, 0, 0, 0};
	GdkMonitor *monitor = gdk_display_get_monitor(gdk_display_get_default(), n);
	if (monitor != NULL) gdk_monitor_get_workarea(monitor, &area);
	return area;
}

static void present(GtkWidget *view, const char *token) {
	GtkWindow *window = window_of(view);
	guint32 time = GDK_CURRENT_TIME;
	gtk_widget_show(GTK_WIDGET(window));
	gtk_window_deiconify(window);
	if (token != NULL && *token != 0) gtk_window_set_startup_id(window, token);
#ifdef GDK_WINDOWING_X11
	GdkWindow *gdk = gtk_widget_get_window(GTK_WIDGET(window));
	if (gdk != NULL && GDK_IS_X11_WINDOW(gdk)) { // without a time, window managers only mark the window as wanting attention
		gdk_x11_window_move_to_current_desktop(gdk);
		time = gdk_x11_get_server_time(gdk);
	}
#endif
	gtk_window_present_with_time(window, time);
}

// As WebKit decides it for the page's prefers-color-scheme.
static int dark(void) {
	gboolean preferred = FALSE;
	char *theme = NULL;
	g_object_get(gtk_settings_get_default(), "gtk-application-prefer-dark-theme", &preferred, "gtk-theme-name", &theme, NULL);
	int result = preferred || (theme != NULL && (g_str_has_suffix(theme, "-dark") || g_str_has_suffix(theme, "-Dark")));
	g_free(theme);
	return result;
}
*/
import "C"

import (
	"log/slog"
	"runtime/cgo"
	"time"
	"unsafe"
)

// brokenPage is shown when the page keeps ending.
const brokenPage = `<body style="font:16px sans-serif;margin:3em;color:#888"><h1>The page keeps ending</h1>
<p>Your conversations are safe. Close this window and start Mobius with <b>mobius --safe-mode</b>,
or with <b>mobius serve</b> to use it in a browser.</p></body>`

// onMain runs fn on the toolkit's thread, after what it has queued already. It does not wait.
func onMain(fn func()) { C.to_main(C.uintptr_t(cgo.NewHandle(fn))) }

// guard is what watches over one window's page. Only the toolkit's thread uses it.
type guard struct{ restarts restarts }

// Attach guards the window's page: it is never navigated away, and it is loaded again when its process has died.
func Attach() {
	onMain(func() {
		if view := C.the_view(); view != nil {
			C.attach(view, C.uintptr_t(cgo.NewHandle(&guard{}))) // for as long as the window lives
		}
	})
}

// Place puts the window where it was, if that is on a screen. It tells whether it can: where it cannot, the window's own
// functions have to do.
func Place(w Window) bool {
	onMain(func() {
		view := C.the_view()
		if view == nil {
			return
		}
		var areas []Screen
		for i := range int(C.monitors()) {
			r := C.work_area(C.int(i))
			areas = append(areas, Screen{int(r.x), int(r.y), int(r.width), int(r.height)})
		}
		fitted, window := w.Fit(areas), C.window_of(view)
		if fitted.Width != w.Width || fitted.Height != w.Height {
			C.gtk_window_resize(window, C.gint(fitted.Width), C.gint(fitted.Height))
		}
		if fitted.Placed {
			C.gtk_window_move(window, C.gint(fitted.X), C.gint(fitted.Y))
		}
		if fitted.Maximised {
			C.gtk_window_maximize(window)
		}
	})
	return true
}

// Present shows the window, on the desktop that the person is looking at, above the others and with the keyboard. token
// is the activation token that the desktop gave to whatever asks for it, or "".
func Present(token string) bool {
	onMain(func() {
		if view := C.the_view(); view != nil {
			text := C.CString(token)
			defer C.free(unsafe.Pointer(text))
			C.present(view, text)
		}
	})
	return true
}

// WithTheme calls fn with whether the desktop's theme is dark, on the toolkit's thread.
func WithTheme(fn func(dark bool)) {
	onMain(func() { fn(C.dark() != 0) })
}

// pageEnded loads the page again after its process died.
func (g *guard) pageEnded(reason int) {
	again := g.restarts.again(time.Now())
	slog.Error("the page's process ended", "reason", endings[min(max(reason, 0), len(endings)-1)], "loaded_again", again)
	onMain(func() {
		view := C.the_view()
		if view == nil {
			return
		}
		if again {
			address := C.CString(pageAddress)
			defer C.free(unsafe.Pointer(address))
			C.load(view, address)
			return
		}
		text := C.CString(brokenPage)
		defer C.free(unsafe.Pointer(text))
		C.load_text(view, text)
	})
}

// endings are WebKit's reasons, by number.
var endings = [...]string{"it crashed", "it needed too much memory", "it was ended"}
