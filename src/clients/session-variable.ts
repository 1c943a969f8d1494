// The variable by which a client whose process serves many sessions tells its commands which one runs them. Nested agents inherit it: it
// counts only among sessions of one process.

export const SESSION_VARIABLE = "SKEIN_SESSION";
