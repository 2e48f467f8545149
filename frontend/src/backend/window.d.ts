/** What the shells put on the window: Wails in the desktop app, a shim of the same shape when served over HTTP. */
interface Window {
  go?: Record<string, Record<string, Record<string, (...args: unknown[]) => Promise<unknown>>>>;
  runtime?: {
    EventsOnMultiple(
      name: string,
      callback: (...data: unknown[]) => void,
      maxCallbacks: number,
    ): (() => void) | undefined;
    EventsOff(name: string, ...more: string[]): void;
    BrowserOpenURL?(url: string): void;
    ClipboardSetText?(text: string): Promise<boolean>;
    ClipboardGetText?(): Promise<string>;
    OnFileDrop?(callback: (x: number, y: number, paths: string[]) => void, useDropTarget: boolean): void;
    OnFileDropOff?(): void;
  };
  mobius?: { client?: string; shell?: string };
}
