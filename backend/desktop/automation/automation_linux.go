//go:build linux && webdriver

package automation

/*
#cgo linux pkg-config: gtk+-3.0
#cgo !webkit2_41 pkg-config: webkit2gtk-4.0
#cgo webkit2_41 pkg-config: webkit2gtk-4.1

#include <gtk/gtk.h>
#include <webkit2/webkit2.h>

static WebKitWebView *view;

static WebKitWebView *on_create(WebKitAutomationSession *session, gpointer data) { return view; }

static void on_started(WebKitWebContext *context, WebKitAutomationSession *session, gpointer data) {
	WebKitApplicationInfo *info = webkit_application_info_new();
	webkit_application_info_set_name(info, "mobius");
	webkit_application_info_set_version(info, 1, 0, 0);
	webkit_automation_session_set_application_info(session, info);
	webkit_application_info_unref(info);
	g_signal_connect(session, "create-web-view", G_CALLBACK(on_create), NULL);
}

// The library's function of this name makes every view that cannot be steered, and that can only be chosen when a view is
// made. The linker takes this definition before the library's.
GtkWidget *webkit_web_view_new_with_user_content_manager(WebKitUserContentManager *content) {
	WebKitWebContext *context = webkit_web_context_get_default();
	webkit_web_context_set_automation_allowed(context, TRUE);
	g_signal_connect(context, "automation-started", G_CALLBACK(on_started), NULL);
	view = g_object_new(WEBKIT_TYPE_WEB_VIEW, "user-content-manager", content, "is-controlled-by-automation", TRUE, NULL);
	return GTK_WIDGET(view);
}
*/
import "C"
