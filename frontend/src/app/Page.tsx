import type { ReactNode } from "react";
import { Slot } from "./slots";

/** A view with a title that scrolls as a whole: a column of readable width in the middle. */
export function Page(props: {
  title: string;
  actions?: ReactNode;
  wide?: boolean;
  children: ReactNode;
  footer?: ReactNode;
}) {
  return (
    <div className="flex h-full flex-col">
      <Slot name="title">
        <h1 className="truncate font-semibold">{props.title}</h1>
      </Slot>
      {props.actions && <Slot name="actions">{props.actions}</Slot>}
      <div className="@container min-h-0 flex-1 overflow-y-auto">
        <div className={props.wide ? "mx-auto max-w-240 px-8 py-7" : "mx-auto max-w-176 px-8 py-7"}>
          {props.children}
        </div>
      </div>
      {props.footer}
    </div>
  );
}
