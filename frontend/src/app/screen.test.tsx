import { act, screen as page, render, waitFor } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { renderInPage } from "@/testing/render";
import { ErrorBoundary } from "./ErrorBoundary";
import { screen } from "./screen";

const Hello = ({ name }: { name: string }) => <p>hello {name}</p>;

describe("a screen that is loaded when it is wanted", () => {
  it("is loaded once, and drawn at once from then on", async () => {
    const load = vi.fn(async () => Hello);
    const View = screen(load);
    const { unmount } = render(<View name="Ada" />);
    await page.findByText("hello Ada");
    unmount();
    render(<View name="Bea" />);
    page.getByText("hello Bea");
    expect(load).toHaveBeenCalledOnce();
  });

  it("is not loaded before", () => {
    const load = vi.fn(async () => Hello);
    screen(load);
    expect(load).not.toHaveBeenCalled();
  });

  it("can be tried again when its code did not arrive", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const load = vi.fn(async () => Hello);
    load.mockRejectedValueOnce(new Error("gone"));
    const View = screen(load);
    renderInPage(
      <ErrorBoundary>
        <View name="Ada" />
      </ErrorBoundary>,
    );
    await page.findByText("This view stopped working.");
    act(() => page.getByRole("button", { name: "Draw again" }).click());
    await waitFor(() => page.getByText("hello Ada"));
  });
});
