import type { ErrorMessages } from '../error-messages.ts'

export default {
  access: {
    missing_permission: 'Ihnen fehlt die Berechtigung {permission}.',
    not_system_admin: 'Das können nur Systemadministratoren.',
    only_deployment: 'Ein Deployment-Schlüssel gibt nur Zugriff auf den Chat seines Deployments.',
    second_factor_required:
      'Diese Organisation verlangt einen zweiten Faktor. Richten Sie ihn in Ihrem Konto ein, oder melden Sie sich damit erneut an.',
    session_needed: 'Dafür müssen Sie angemeldet sein. Mit einem API-Schlüssel ist es nicht möglich.',
  },
  auth: {
    challenge_gone: 'Diese Anmeldung ist abgelaufen oder wurde bereits verwendet. Melden Sie sich erneut an.',
    cookie_origin: 'Die Anmeldung bleibt nur auf den Seiten dieses Servers bestehen.',
    email_reserved: 'Diese E-Mail-Adresse ist reserviert. Verwenden Sie eine andere.',
    email_taken: 'Es gibt bereits einen Benutzer mit dieser E-Mail-Adresse.',
    factor_challenge_gone:
      'Dieser Vorgang ist abgelaufen oder wurde bereits abgeschlossen. Beginnen Sie erneut.',
    factor_not_found: 'Dieser zweite Faktor wurde nicht gefunden.',
    factor_unverified: 'Bestätigen Sie Ihre E-Mail-Adresse, bevor Sie einen zweiten Faktor einrichten.',
    invalid_credentials: 'E-Mail-Adresse oder Passwort ist falsch.',
    invalid_refresh_token: 'Ihre Sitzung ist abgelaufen. Melden Sie sich erneut an.',
    invalid_token: 'Ihre Sitzung ist abgelaufen. Melden Sie sich erneut an.',
    link_gone: 'Dieser Link ist abgelaufen oder wurde bereits verwendet. Fordern Sie einen neuen an.',
    link_of_another:
      'Dieser Link gehört zu einem anderen Konto. Melden Sie sich mit diesem Konto an, und öffnen Sie den Link erneut.',
    missing: 'Melden Sie sich an, um fortzufahren.',
    no_factor:
      'Wiederherstellungscodes setzen einen Passkey oder eine Authenticator-App voraus. Richten Sie zuerst eines davon ein.',
    oidc_failed: 'Der OpenID-Anbieter hat nicht richtig geantwortet. Versuchen Sie es später erneut.',
    oidc_off: 'Die Anmeldung über einen OpenID-Anbieter ist auf diesem Server nicht eingerichtet.',
    oidc_state:
      'Diese Anmeldung ist abgelaufen oder wurde in einem anderen Browser begonnen. Beginnen Sie erneut.',
    oidc_unverified: 'Der OpenID-Anbieter hat Ihre E-Mail-Adresse nicht bestätigt.',
    passkey_exists: 'Dieser Passkey ist bereits registriert.',
    passkey_invalid: 'Der Passkey kann für {origin} nicht überprüft werden.',
    passkeys_max:
      'Ein Konto kann höchstens {max, plural, one {# Passkey} other {# Passkeys}} haben. Entfernen Sie zuerst einen.',
    session_not_found: 'Diese Sitzung wurde nicht gefunden.',
    signup_closed: 'Auf diesem Server können Sie sich nur mit einer Einladung registrieren.',
    second_factor_needed:
      'Ein zweiter Faktor ist erforderlich. Verwenden Sie einen Code Ihrer Authenticator-App, einen Passkey oder einen Wiederherstellungscode.',
    too_many_attempts:
      'Zu viele Anmeldeversuche. Versuchen Sie es in {seconds, plural, one {# Sekunde} other {# Sekunden}} erneut.',
    too_many_codes:
      'Für dieses Konto wurden zu viele Codes eingegeben. Versuchen Sie es in {minutes, plural, one {# Minute} other {# Minuten}} erneut.',
    totp_exists:
      'Dieses Konto hat bereits eine Authenticator-App. Entfernen Sie sie, bevor Sie eine andere hinzufügen.',
    totp_not_begun:
      'Es gibt keine Authenticator-App zu bestätigen, oder 10 Minuten sind vergangen. Beginnen Sie erneut.',
    totp_wrong_code:
      'Falscher Code. Prüfen Sie die Uhrzeit Ihres Geräts, und geben Sie den aktuellen Code ein.',
    wrong_code: 'Falscher Code. Jeder Code gilt einmal und etwa 30 Sekunden lang.',
    wrong_passkey: 'Der Passkey wurde nicht akzeptiert. Versuchen Sie es erneut.',
    wrong_proof: 'Das Passwort, der Code oder der Passkey ist falsch.',
    wrong_recovery_code: 'Falscher Wiederherstellungscode. Jeder Wiederherstellungscode gilt einmal.',
  },
  invitation: {
    email: '{email} ist keine gültige E-Mail-Adresse.',
    exists:
      'Für diese E-Mail-Adresse gibt es bereits eine offene Einladung. Senden Sie sie erneut, oder widerrufen Sie sie.',
    gone: '{status, select, accepted {Diese Einladung wurde bereits angenommen.} expired {Diese Einladung ist abgelaufen.} revoked {Diese Einladung wurde widerrufen.} other {Diese Einladung gilt nicht mehr.}} Bitten Sie um eine neue.',
    level: 'Nur Administratoren und Inhaber können Einladungen verwalten.',
    not_found: 'Diese Einladung wurde nicht gefunden.',
    not_pending:
      '{status, select, accepted {Diese Einladung wurde bereits angenommen.} expired {Diese Einladung ist abgelaufen.} revoked {Diese Einladung wurde widerrufen.} other {Diese Einladung ist nicht mehr offen.}}',
    organization_cap:
      'Eine Organisation kann höchstens {limit, plural, one {# Einladung} other {# Einladungen}} pro Tag senden. Versuchen Sie es nach Mitternacht (UTC) erneut.',
    role_gone: 'Die Rolle dieser Einladung gibt es nicht mehr. Bitten Sie um eine neue Einladung.',
    sender_cap:
      'Sie können höchstens {limit, plural, one {# Einladung} other {# Einladungen}} pro Tag senden. Versuchen Sie es nach Mitternacht (UTC) erneut.',
    unverified_cap:
      'Bis Sie Ihre E-Mail-Adresse bestätigen, können Sie höchstens {limit, plural, one {# Einladung} other {# Einladungen}} pro Tag senden. Bestätigen Sie sie, oder versuchen Sie es nach Mitternacht (UTC) erneut.',
  },
  network: 'Der Server ist nicht erreichbar. Prüfen Sie die Verbindung, und versuchen Sie es erneut.',
  passkey: {
    exists: 'Dieses Gerät hat bereits einen Passkey für Ihr Konto.',
    not_used: 'Es wurde kein Passkey verwendet. Versuchen Sie es erneut.',
    wrong_address:
      'Passkeys funktionieren nur unter der Adresse, für die dieser Server eingerichtet ist (FRONTEND_URL).',
  },
  rate: {
    limited: 'Zu viele Anfragen. Versuchen Sie es in {wait} erneut.',
  },
  request: {
    abandoned: 'Die Anfrage wurde abgebrochen, bevor die Antwort vollständig war.',
    answer_not_kept: 'Dies wurde bereits ausgeführt. Laden Sie die Seite neu, um das Ergebnis zu sehen.',
    file_too_large: 'Die Datei ist größer als {size}.',
    idempotency_reused: 'Dies wurde bereits mit anderem Inhalt gesendet. Versuchen Sie es erneut.',
    in_progress: 'Dies wurde bereits gesendet und wird noch ausgeführt. Versuchen Sie es gleich erneut.',
    interrupted:
      'Der Server wurde bei der Ausführung unterbrochen. Prüfen Sie, was bereits ausgeführt ist, bevor Sie es erneut versuchen.',
    invalid: 'Prüfen Sie Ihre Eingabe: {reason}',
    malformed: 'Die Anfrage konnte nicht gelesen werden: {reason}',
    not_found: 'Dieser Server hat diese Funktion nicht. Laden Sie die Seite neu.',
    timed_out: 'Die Übertragung der Anfrage hat zu lange gedauert. Versuchen Sie es erneut.',
    too_large: 'Der Inhalt ist größer als {size}. Kürzen Sie ihn.',
    too_many_keys: 'Sie haben zu viele Anfragen gesendet. Versuchen Sie es später erneut.',
    too_many_values: 'Die Eingabe hat mehr als {limit, number} Werte. Kürzen Sie sie.',
  },
  server: {
    error: 'Auf unserer Seite ist etwas schiefgegangen. Geben Sie die Anfrage-ID an, wenn Sie dies melden.',
    unavailable: 'Das ist zurzeit nicht möglich: {reason}',
  },
  stream: {
    lost: 'Die Verbindung wurde unterbrochen.',
  },
  unknown: 'Der Server hat mit Status {status} geantwortet. Versuchen Sie es erneut.',
} satisfies ErrorMessages
