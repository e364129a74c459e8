-- Creates the placeholder user that owns the chats of a new deployment.
CREATE OR REPLACE FUNCTION public.make_deployment_visitors()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into users (id, email, first_name, last_name)
  values (new.visitor_user_id, 'visitors+' || replace(gen_random_uuid()::text, '-', '') || '@deployment.invalid', '', '');
  return new;
end $function$;

CREATE TRIGGER agent_deployments_visitors_come BEFORE INSERT ON agent_deployments FOR EACH ROW EXECUTE FUNCTION make_deployment_visitors();
