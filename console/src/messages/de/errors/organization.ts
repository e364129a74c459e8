import type { ErrorMessages } from '../../error-messages.ts'

/** Errors of organizations, members, roles, API keys, webhooks, credits, exports and imports. */
export default {
  api_key: {
    expiry_past: 'Das Ablaufdatum muss in der Zukunft liegen.',
    not_found: 'Dieser API-Schlüssel wurde nicht gefunden.',
  },
  billing: {
    budget_not_found: 'Dieses Budget wurde nicht gefunden.',
    key_budget_exceeded:
      'Das Monatsbudget dieses API-Schlüssels ist aufgebraucht. Es wird am {day} (UTC) zurückgesetzt. Die Administration kann es erhöhen.',
    member_budget_exceeded:
      'Das Monatsbudget dieses Mitglieds ist aufgebraucht. Es wird am {day} (UTC) zurückgesetzt. Die Administration kann es erhöhen.',
    key_requests_exceeded:
      'Dieser API-Schlüssel hat sein Limit für Anfragen pro Minute erreicht. Versuchen Sie es in der nächsten Minute erneut.',
    key_tokens_exceeded:
      'Dieser API-Schlüssel hat sein Limit für Tokens pro Minute erreicht. Versuchen Sie es in der nächsten Minute erneut.',
    member_requests_exceeded:
      'Dieses Mitglied hat sein Limit für Anfragen pro Minute erreicht. Versuchen Sie es in der nächsten Minute erneut.',
    member_tokens_exceeded:
      'Dieses Mitglied hat sein Limit für Tokens pro Minute erreicht. Versuchen Sie es in der nächsten Minute erneut.',
    model_requests_exceeded:
      'Dieses Modell hat sein Limit für Anfragen pro Minute erreicht. Versuchen Sie es in der nächsten Minute erneut.',
    model_tokens_exceeded:
      'Dieses Modell hat sein Limit für Tokens pro Minute erreicht. Versuchen Sie es in der nächsten Minute erneut.',
    limit_not_found: 'Dieses Limit wurde nicht gefunden.',
    insufficient_credits: 'Die Credits reichen für dieses Modell nicht aus.',
    transfer_too_large:
      'Die sendende Organisation hat nur {available, plural, one {# Credit} other {# Credits}} verfügbar. Übertragen Sie höchstens so viele.',
  },
  export: {
    busy: 'Dieser Server sendet bereits so viele Exporte wie möglich ({limit, number}). Versuchen Sie es gleich erneut.',
    under_way:
      'Für Sie wird bereits ein Export erstellt. Warten Sie, bis er fertig ist, oder brechen Sie ihn ab.',
  },
  import: {
    daily_bytes:
      'Sie können pro Tag höchstens {size} für Importe hochladen. Versuchen Sie es in {wait} erneut.',
    damaged: 'Diese Datei kann nicht importiert werden. {reason}',
    incomplete: 'Dieser Export ist unvollständig. {reason}',
    invalid: 'Dieser Export kann nicht importiert werden. {location}: {reason}',
    too_large: 'Dieser Export ist zu groß für einen Import. {reason}',
    under_way: 'Ein anderer Import läuft bereits. Versuchen Sie es erneut, wenn er abgeschlossen ist.',
  },
  org: {
    daily_chat_limit:
      'Diese Organisation hat ihr Tageslimit für Nachrichten erreicht. Versuchen Sie es nach Mitternacht (UTC) erneut, oder bitten Sie die Systemadministration um ein höheres Limit.',
    factor_needed:
      'Richten Sie für Ihr eigenes Konto die Zwei-Faktor-Authentifizierung ein, bevor Sie sie von Mitgliedern verlangen.',
    feature_off:
      '{feature, select, team_members {Die Funktion für weitere Mitglieder ist für diese Organisation nicht aktiviert.} other {Die Funktion {feature} ist für diese Organisation nicht aktiviert.}} Bitten Sie die Systemadministration, sie zu aktivieren.',
    last_owner:
      'Eine Organisation muss immer mindestens einen Inhaber haben. Übertragen Sie die Organisation zuerst an ein anderes Mitglied.',
    name_taken: 'Es gibt bereits eine Organisation mit diesem Namen. Wählen Sie einen anderen Namen.',
    not_found: 'Diese Organisation wurde nicht gefunden.',
    owner_needed: 'Das können nur Inhaber der Organisation. Bitten Sie einen Inhaber darum.',
    personal: 'Eine persönliche Organisation können Sie nicht löschen, verlassen oder übertragen.',
  },
  permission: {
    built_in: 'Integrierte Berechtigungen können nicht gelöscht werden. Sie können sie aus Rollen entfernen.',
    exists: 'Es gibt bereits eine Berechtigung mit diesem Namen. Wählen Sie einen anderen Namen.',
    not_found: 'Diese Berechtigung wurde nicht gefunden: {value}',
  },
  role: {
    in_use:
      'Diese Rolle ist Mitgliedern zugewiesen: {members}. Weisen Sie ihnen zuerst eine andere Rolle zu.',
    name_taken:
      'In dieser Organisation gibt es bereits eine Rolle mit diesem Namen. Wählen Sie einen anderen Namen.',
    not_found: 'Diese Rolle wurde nicht gefunden.',
    permission_not_held:
      'Sie können {permission} nicht gewähren, weil Sie diese Berechtigung selbst nicht haben. Entfernen Sie sie.',
    system:
      'Systemrollen können nicht erstellt, geändert oder gelöscht werden. Erstellen Sie stattdessen eine eigene Rolle.',
    too_high:
      'Sie können nur Rollen unterhalb Ihrer eigenen Stufe ({level, number}) erstellen, ändern und zuweisen.',
  },
  user: {
    exists: 'Es gibt bereits einen Benutzer mit dieser E-Mail-Adresse. Fügen Sie ihn als Mitglied hinzu.',
    is_member: 'Dieser Benutzer ist bereits Mitglied der Organisation. Ändern Sie stattdessen die Rolle.',
    last_administrator:
      'Sie sind der einzige Systemadministrator. Machen Sie zuerst einen anderen Benutzer zum Systemadministrator.',
    not_active: 'Nur aktive Mitglieder können eine andere Rolle erhalten.',
    not_found: 'Dieser Benutzer wurde nicht gefunden.',
    not_owner: 'Nur Inhaber können die Rollen von Mitgliedern ändern.',
    owner_role:
      'Die Rolle „owner“ kann nicht zugewiesen werden. Ein Inhaber kann die Organisation übertragen.',
    owns_organizations:
      'Sie sind der einzige Inhaber dieser Organisationen: {organizations}. Übertragen Sie sie, oder entfernen Sie zuerst die anderen Mitglieder.',
    same_role: 'Dieses Mitglied hat bereits die Rolle {role}.',
    self: 'Sie können sich nicht selbst sperren oder entfernen. Verlassen Sie stattdessen die Organisation.',
    sign_in_again:
      'Ihr Konto hat kein Passwort, mit dem Sie dies bestätigen können. Melden Sie sich erneut an, und wiederholen Sie es innerhalb von {minutes, plural, one {# Minute} other {# Minuten}}.',
    status_move:
      'Der Status eines Mitglieds kann nicht von „{from, select, active {aktiv} deleted {entfernt} invited {eingeladen} suspended {gesperrt} other {{from}}}“ zu „{to, select, active {aktiv} deleted {entfernt} invited {eingeladen} suspended {gesperrt} other {{to}}}“ geändert werden.',
    wrong_password: 'Das ist nicht Ihr aktuelles Passwort. Geben Sie es erneut ein.',
  },
  webhook: {
    delivery_not_found: 'Diese Zustellung wurde nicht gefunden.',
    disabled: 'Dieser Webhook ist deaktiviert. Aktivieren Sie ihn zuerst.',
    not_found: 'Dieser Webhook wurde nicht gefunden.',
    too_many:
      'Eine Organisation kann höchstens {limit, plural, one {# Webhook} other {# Webhooks}} haben. Löschen Sie zuerst einen.',
    url_invalid: 'Diese URL kann nicht verwendet werden: {reason}',
  },
} satisfies ErrorMessages
