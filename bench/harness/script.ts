// What the model says in each measurement, in a client's own tools: one answer; a turn with four reads and an edit; ten children of two
// requests each. The texts and delays are the same for all.

export interface PeerAnswer {
  readonly say?: string;
  readonly calls?: readonly { readonly name: string; readonly args: object }[];
  readonly delayMs?: number;
}

export interface PeerScript {
  /** By how often the model has spoken. */
  readonly main: readonly PeerAnswer[];
  readonly child: readonly PeerAnswer[];
}

/** One request that was answered; times on the server's clock. */
export interface Asked {
  /** Which child's; null for the first agent's. */
  readonly child: number | null;
  readonly turn: number;
  readonly tools: boolean;
  readonly fromMs: number;
  readonly toMs: number;
}

export const MAIN_MARK = "MAIN-PROMPT";
export const CHILD_MARK = "PART-";
export const childrenCount = 10;
export const childDelayMs = 1_000;
export const FILES = ["a.txt", "b.txt", "c.txt", "d.txt"] as const;
export const edited = { file: "a.txt", from: "one", to: "two" } as const;

export const TASKS = ["one", "turn", "ten"] as const;
export type Task = (typeof TASKS)[number];

export const TASK_NAMES: Readonly<Record<Task, string>> = {
  one: "one answer",
  turn: "four reads and an edit",
  ten: "ten children",
};

type Call = { readonly name: string; readonly args: object };

/** A client's tools. */
export interface PeerTools {
  read(path: string): Call;
  edit(path: string, from: string, to: string): Call;
  /** Null where it has no children, or starts fewer at once. */
  readonly delegate: ((task: string) => Call) | null;
  /** How a child ends, where that is a call. */
  readonly finish?: (said: string) => Call;
}

export function scriptOf(task: Task, { read, edit, delegate, finish }: PeerTools): PeerScript {
  if (task === "one") return { main: [{ say: "It is done." }], child: [] };
  if (task === "turn")
    return {
      main: [
        { calls: [...FILES.map((file) => read(file)), edit(edited.file, edited.from, edited.to)] },
        { say: "It is done." },
      ],
      child: [],
    };
  const parts = Array.from(
    { length: childrenCount },
    (_, at) => delegate?.(`${CHILD_MARK}${at}: look at b.txt`) ?? read("b.txt"),
  );
  const last = finish === undefined ? { say: "It is looked at." } : { calls: [finish("It is looked at.")] };
  return {
    main: [{ calls: parts }, { say: "All is done." }],
    child: [
      { calls: [read("b.txt")], delayMs: childDelayMs },
      { ...last, delayMs: childDelayMs },
    ],
  };
}
