-- The user whom a deployment's chats belong to goes with it, and the chats with him.
create function forget_deployment_visitors() returns trigger language plpgsql as $$
begin
  delete from users where id = old.visitor_user_id;
  return null;
end $$;
--> statement-breakpoint
create trigger agent_deployments_visitors after delete on agent_deployments
  for each row execute function forget_deployment_visitors();
