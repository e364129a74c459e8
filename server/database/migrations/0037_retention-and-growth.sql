CREATE INDEX "audit_entries_actor" ON "audit_entries" USING btree ("organization_id","actor_id","id");--> statement-breakpoint
CREATE INDEX "audit_entries_action" ON "audit_entries" USING btree ("organization_id","action","id");--> statement-breakpoint
CREATE INDEX "audit_entries_type" ON "audit_entries" USING btree ("organization_id","record_type","id");--> statement-breakpoint
CREATE INDEX "audit_entries_record" ON "audit_entries" USING btree ("organization_id","record_id","id");--> statement-breakpoint
CREATE INDEX "audit_entries_time" ON "audit_entries" USING btree ("organization_id","created_at");--> statement-breakpoint
CREATE INDEX "login_attempts_age" ON "login_attempts" USING btree ("last_at");--> statement-breakpoint
CREATE INDEX "refresh_tokens_replaced" ON "refresh_tokens" USING btree ("replaced_at") WHERE "refresh_tokens"."replaced_at" is not null;--> statement-breakpoint
CREATE INDEX "reply_keys_chat_id" ON "reply_keys" USING btree ("chat_id");--> statement-breakpoint
CREATE INDEX "reply_keys_age" ON "reply_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "invitations_open" ON "invitations" USING btree ("organization_id") WHERE "invitations"."status" in ('pending', 'expired');--> statement-breakpoint
CREATE INDEX "invitations_unaccepted" ON "invitations" USING btree ("expires_at") WHERE "invitations"."status" <> 'accepted';--> statement-breakpoint
CREATE INDEX "ledger_entries_rare" ON "ledger_entries" USING btree ("organization_id","kind","position") WHERE "ledger_entries"."kind" in ('CREDIT', 'RELEASE');--> statement-breakpoint
CREATE INDEX "memberships_role_id" ON "memberships" USING btree ("organization_id","role_id");--> statement-breakpoint
CREATE INDEX "webhook_endpoints_disabled" ON "webhook_endpoints" USING btree ("id") WHERE not "webhook_endpoints"."is_enabled";--> statement-breakpoint
CREATE FUNCTION refuse_audit_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
begin
  if not exists (select from organizations where id = old.organization_id and closed_at is null)
    or old.created_at < now() - nullif(current_setting('parley.audit_days', true), '')::integer * interval '1 day' then
    return old;
  end if;
  raise exception 'audit entries are never changed' using errcode = 'restrict_violation';
end $$;--> statement-breakpoint
DROP TRIGGER audit_entries_append_only ON audit_entries;--> statement-breakpoint
CREATE TRIGGER audit_entries_append_only BEFORE DELETE ON audit_entries
  FOR EACH ROW EXECUTE FUNCTION refuse_audit_deletion();
