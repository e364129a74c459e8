import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Mark } from '../../ui/brand.tsx'
import { useTitle } from '../../ui/page.tsx'

/** The page layout for signed-out users. */
export function Outside({
  title,
  children,
  below,
}: {
  title: string
  children: ReactNode
  below?: ReactNode
}) {
  useTitle(title)
  return (
    <main className="flex min-h-full flex-col items-center justify-center gap-6 bg-surface px-4 py-10">
      <p className="flex items-center gap-2 text-lg font-semibold">
        <Mark size={28} /> Parley
      </p>
      <section className="flex w-full max-w-sm flex-col gap-5 rounded-2xl border border-line bg-raised p-6">
        <h1 className="text-xl font-semibold">{title}</h1>
        {children}
      </section>
      {below && <p className="text-sm text-muted">{below}</p>}
    </main>
  )
}

/** Shows the result of an action and announces it to screen readers. */
export const Outcome = ({ icon: Icon, children }: { icon: LucideIcon; children: ReactNode }) => (
  <div role="status" className="flex items-start gap-3">
    <Icon aria-hidden size={20} className="mt-0.5 shrink-0 text-accent" />
    <p className="min-w-0">{children}</p>
  </div>
)
