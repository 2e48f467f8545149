import { useEffect } from "react";
import { desktop } from "@/backend";
import { useT } from "@/i18n";
import { ask } from "@/ui/ask";
import { onExternalLink } from "./guards";

/** Shows the address of a link before it is opened outside of the window. Once in the page. */
export function LinkHost() {
  const t = useT();
  useEffect(() => {
    onExternalLink((url) => {
      const question = { title: t("links.title"), body: t("links.text"), literal: url, confirm: t("links.open") };
      void ask(question).then((yes) => yes && desktop.openExternal(url));
    });
  }, [t]);
  return null;
}
