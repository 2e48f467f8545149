interface Keyed {
  key: string;
}

/** Heights of rows, measured or guessed, and where each row begins. Changes cost what comes after them. */
export class Heights<R extends Keyed> {
  private rows: readonly R[] = [];
  private measured = new Map<string, number>();
  /** offsets[i] is where row i begins; one more than there are rows. */
  private offsets = new Float64Array(1);
  private valid = 0;

  constructor(private readonly guess: (row: R) => number) {}

  get total(): number {
    return this.offset(this.rows.length);
  }

  set(rows: readonly R[]): void {
    const before = this.rows;
    if (rows === before) return;
    let same = 0;
    const most = Math.min(rows.length, before.length);
    while (same < most && rows[same] === before[same]) same++;
    this.rows = rows;
    if (this.offsets.length < rows.length + 1) {
      const grown = new Float64Array(Math.ceil((rows.length + 1) * 1.5));
      grown.set(this.offsets);
      this.offsets = grown;
    }
    this.valid = Math.min(this.valid, same);
    if (this.measured.size > rows.length * 2 + 200) this.forget();
  }

  private forget(): void {
    const known = new Set(this.rows.map((row) => row.key));
    for (const key of this.measured.keys()) if (!known.has(key)) this.measured.delete(key);
  }

  measure(index: number, height: number): void {
    const row = this.rows[index];
    if (!row || this.measured.get(row.key) === height) return;
    this.measured.set(row.key, height);
    this.valid = Math.min(this.valid, index);
  }

  offset(index: number): number {
    for (let i = this.valid; i < index; i++) {
      const row = this.rows[i];
      if (!row) break;
      const height = this.measured.get(row.key) ?? this.guess(row);
      this.offsets[i + 1] = (this.offsets[i] ?? 0) + height;
      this.valid = i + 1;
    }
    return this.offsets[Math.min(index, this.rows.length)] ?? 0;
  }

  /** The row that covers a height. */
  at(top: number): number {
    const count = this.rows.length;
    this.offset(count);
    let low = 0;
    let high = count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.offsets[middle] ?? 0) <= top) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }

  indexOf(key: string): number {
    return this.rows.findIndex((row) => row.key === key);
  }
}
