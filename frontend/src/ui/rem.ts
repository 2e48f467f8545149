/** Pixels of a length in rem right now, for lists that must know the height of their rows before they draw them. */
export function rem(length: number): number {
  return length * (Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 14);
}
