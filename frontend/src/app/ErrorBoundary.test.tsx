import { fireEvent, screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { renderInPage } from "@/testing/render";
import { ErrorBoundary } from "./ErrorBoundary";

describe("a view that fails", () => {
  it("says so and can be drawn again", () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    let broken = true;
    const View = () => {
      if (broken) throw new Error("boom");
      return <p>fine</p>;
    };
    renderInPage(
      <ErrorBoundary>
        <View />
      </ErrorBoundary>,
    );
    screen.getByText("This view stopped working.");
    expect(screen.queryByText(/boom/)).toBeNull();
    broken = false;
    fireEvent.click(screen.getByRole("button", { name: "Draw again" }));
    screen.getByText("fine");
  });
});
