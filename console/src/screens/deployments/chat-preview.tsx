import type { Deployment } from '@parley/client/schemas'

/** The chat as visitors have it, and as it was last saved. */
export function ChatPreview({ deployment: { id, status, updated_at } }: { deployment: Deployment }) {
  return (
    <section aria-labelledby="preview" className="flex min-w-0 flex-col gap-2">
      <h2 id="preview" className="font-semibold">
        Preview
      </h2>
      {status === 'paused' ? (
        <p className="flex h-64 items-center justify-center rounded-2xl border border-dashed border-line px-6 text-center text-sm text-muted">
          It is paused: visitors read that the chat is closed. Resume it to see it here.
        </p>
      ) : (
        <iframe
          key={updated_at}
          title="Preview of the chat"
          src={`/embed/${id}`}
          allow="clipboard-write"
          className="h-[min(36rem,60dvh)] w-full rounded-2xl border border-line"
        />
      )}
      <p className="text-sm text-muted">
        You can talk to it here. What you write counts and costs as a visitor's message does.
      </p>
    </section>
  )
}
