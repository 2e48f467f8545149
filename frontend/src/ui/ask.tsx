import { useRef } from "react";
import { create } from "zustand";
import { useT } from "@/i18n";
import { Button } from "./Button";
import { Dialog } from "./Dialog";

/** A question with two answers. All texts are already in the person's language. */
export interface Question {
  title: string;
  body?: string;
  /** Text to be shown as it is, such as an address or a command. */
  literal?: string;
  confirm: string;
  cancel?: string;
  danger?: boolean;
}

interface Asked extends Question {
  answer(yes: boolean): void;
}

const useAsked = create<{ asked: Asked | null }>(() => ({ asked: null }));

/** Asks in a dialog; resolves to false when it is closed in any other way than by its main button. */
export function ask(question: Question): Promise<boolean> {
  useAsked.getState().asked?.answer(false);
  return new Promise((resolve) => {
    useAsked.setState({
      asked: {
        ...question,
        answer(yes) {
          useAsked.setState({ asked: null });
          resolve(yes);
        },
      },
    });
  });
}

/** Draws the question that is asked. Once in the page. */
export function AskHost() {
  const t = useT();
  const asked = useAsked((s) => s.asked);
  const last = useRef<Asked | null>(null);
  if (asked) last.current = asked;
  const shown = asked ?? last.current;
  if (!shown) return null;
  return (
    <Dialog
      open={asked !== null}
      onClose={() => asked?.answer(false)}
      title={shown.title}
      description={shown.body}
      width="narrow"
      footer={
        <>
          <Button onClick={() => asked?.answer(false)}>{shown.cancel ?? t("common.cancel")}</Button>
          <Button kind={shown.danger ? "danger" : "primary"} onClick={() => asked?.answer(true)}>
            {shown.confirm}
          </Button>
        </>
      }
    >
      {shown.literal && (
        <code className="block break-all rounded bg-code px-3 py-2 font-mono text-sm">{shown.literal}</code>
      )}
    </Dialog>
  );
}
