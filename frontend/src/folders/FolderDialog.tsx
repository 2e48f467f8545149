import { useQuery } from "@tanstack/react-query";
import { CornerLeftUp, Folder } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import { backend } from "@/backend";
import { ErrorNote } from "@/errors";
import { useT } from "@/i18n";
import { Button, IconButton } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Input } from "@/ui/Field";
import { Skeleton } from "@/ui/parts";

/** Walks through the folders of the machine that Mobius runs on. */
export default function FolderDialog({ start, onAnswer }: { start: string; onAnswer(path: string | null): void }) {
  const t = useT();
  const [path, setPath] = useState(start);
  const [typed, setTyped] = useState<string | null>(null);
  const listing = useQuery({
    queryKey: ["folders", "in", path],
    queryFn: () => backend.Workspace.Folders(path),
    staleTime: 0,
    placeholderData: (former) => former,
  });
  const shown = listing.data;
  const go = (next: string) => {
    setTyped(null);
    setPath(next);
  };
  const here = typed?.trim() || shown?.path || "";
  const onKeyDown = (event: KeyboardEvent<HTMLUListElement>) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (!step) return;
    event.preventDefault();
    const buttons = [...event.currentTarget.querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    buttons[Math.max(0, Math.min(buttons.length - 1, at + step))]?.focus();
  };
  return (
    <Dialog
      open
      onClose={() => onAnswer(null)}
      title={t("folders.title")}
      description={t("folders.text")}
      footer={
        <>
          <Button onClick={() => onAnswer(null)}>{t("common.cancel")}</Button>
          <Button kind="primary" disabled={!here || listing.isError} onClick={() => onAnswer(here)}>
            {t("folders.use")}
          </Button>
        </>
      }
    >
      <form
        className="mb-2 flex items-center gap-1.5"
        onSubmit={(event) => {
          event.preventDefault();
          go(here);
        }}
      >
        <IconButton
          icon={CornerLeftUp}
          label={t("folders.up")}
          disabled={!shown?.parent}
          onClick={() => go(shown?.parent ?? "")}
        />
        <Input
          aria-label={t("folders.path")}
          value={typed ?? shown?.path ?? path}
          onChange={(event) => setTyped(event.target.value)}
        />
      </form>
      {listing.isError && <ErrorNote reason={listing.error} />}
      {listing.isPending && <Skeleton className="h-40" />}
      {shown && !listing.isError && (
        <ul
          onKeyDown={onKeyDown}
          aria-label={t("folders.list")}
          className="h-64 overflow-y-auto rounded border border-line p-1"
        >
          {shown.folders.map((folder) => (
            <li key={folder.path}>
              <button
                type="button"
                onClick={() => go(folder.path)}
                className="flex h-8 w-full items-center gap-2.5 rounded px-2 text-left hover:bg-hover"
              >
                <Folder aria-hidden className="size-4 shrink-0 text-muted" />
                <span className="truncate">{folder.name}</span>
              </button>
            </li>
          ))}
          {shown.folders.length === 0 && <li className="px-2 py-8 text-center text-muted">{t("folders.none")}</li>}
          {shown.truncated && <li className="px-2 py-2 text-muted text-sm">{t("folders.truncated")}</li>}
        </ul>
      )}
    </Dialog>
  );
}
