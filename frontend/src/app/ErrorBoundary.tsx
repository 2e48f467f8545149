import { Component, type ReactNode } from "react";
import { T, useT } from "@/i18n";
import { Button } from "@/ui/Button";
import { Note } from "@/ui/parts";

interface State {
  failed: boolean;
  attempt: number;
}

/** Keeps a fault in one view from taking the page down: it says so and draws the view anew on request. */
export class ErrorBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { failed: false, attempt: 0 };

  static getDerivedStateFromError(): Partial<State> {
    return { failed: true };
  }

  override render() {
    if (!this.state.failed)
      return (
        <div key={this.state.attempt} className="contents">
          {this.props.children}
        </div>
      );
    return <Fault onRetry={() => this.setState((s) => ({ failed: false, attempt: s.attempt + 1 }))} />;
  }
}

function Fault({ onRetry }: { onRetry(): void }) {
  const t = useT();
  return (
    <div className="mx-auto max-w-140 p-8">
      <Note tone="error" live title={t("app.fault")} action={<Button onClick={onRetry}>{t("app.fault.retry")}</Button>}>
        <T id="app.fault.text" />
      </Note>
    </div>
  );
}
