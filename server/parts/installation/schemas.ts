import Type, { type Static } from 'typebox'
import { Enum, Nullable } from '#platform/http/schemas.ts'

const Problem = Nullable(Type.String({ description: 'Reason for the failure; null if it works.' }))

export const InstallationStatus = Type.Object(
  {
    mail: Type.Object(
      {
        delivery: Enum(['smtp', 'none'], {
          description:
            '`smtp`: an SMTP server sends emails. `none`: emails are stored on the server and reach no one.',
        }),
        server: Nullable(
          Type.String({ description: 'Host and port of the SMTP server; null if there is none.' }),
        ),
        from: Type.String({ description: 'Sender of emails.' }),
        error: Problem,
      },
      {
        description: 'Whether emails leave the installation. The SMTP server is contacted for each request.',
      },
    ),
    storage: Type.Object(
      {
        kind: Enum(['folder', 'bucket'], { description: 'Where files are stored.' }),
        place: Type.String({ description: 'Path of the folder, or address and name of the bucket.' }),
        error: Problem,
      },
      { description: 'Storage of uploaded files.' },
    ),
    providers: Type.Array(
      Type.Object({
        provider: Type.String({ description: 'Provider of language models.' }),
        models: Type.Integer({ description: 'Number of active models.' }),
        failing: Type.Integer({
          description: 'Number of models whose last calls from the answering process failed.',
        }),
        error: Problem,
      }),
      { description: 'Providers configured in the environment; `demo` if there are none.' },
    ),
    queues: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Name of the queue.' }),
        waiting: Type.Integer({ description: 'Jobs that wait, including retries.' }),
        failed: Type.Integer({ description: 'Jobs that failed their last attempt and are not deleted yet.' }),
      }),
      { description: 'Queues of background jobs.' },
    ),
  },
  { title: 'InstallationStatus' },
)
export type InstallationStatus = Static<typeof InstallationStatus>
