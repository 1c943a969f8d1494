// Why a budget lets no request through, in words: with what is missing, so that a larger one can be named.

/** `whose`: "the budget of $5". Dollars. */
export function budgetSpent(
  whose: string,
  { leftUsd, neededUsd }: { readonly leftUsd: number; readonly neededUsd: number },
): string {
  return `${whose} has $${exact(leftUsd)} left, too little for another request, which can cost $${exact(neededUsd)}`;
}

/** How much of it failed attempts hold. */
export function failedAttempts({ attempts, usd }: { readonly attempts: number; readonly usd: number }): string {
  const many = attempts === 1 ? "1 attempt that failed counts" : `${attempts} attempts that failed count`;
  return `${many} with $${exact(usd)} at the most`;
}

/** Four decimals, and more where these would say nothing. */
function exact(usd: number): string {
  const digits = usd > 0 && usd < 0.01 ? Math.min(12, 1 - Math.floor(Math.log10(usd))) : 0;
  return usd.toFixed(Math.max(4, digits));
}
